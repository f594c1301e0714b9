"""A worker of the namespace `shop` with one workflow, which calls Burnish."""

import asyncio
import os
from datetime import timedelta

import nexusrpc
from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import Worker

TOKEN = os.environ["BURNISH_TOKEN"]


@nexusrpc.service(name="burnish")
class Burnish:
    enhance: nexusrpc.Operation[dict, dict]


@workflow.defn
class EnhancePhoto:
    @workflow.run
    async def run(self, order: dict) -> dict:
        burnish = workflow.create_nexus_client(service=Burnish, endpoint="shop")
        enhancement = await burnish.execute_operation(
            Burnish.enhance,
            order,
            schedule_to_close_timeout=timedelta(hours=1),
            headers={"burnish-token": TOKEN},
        )
        return {"id": enhancement["id"], "status": enhancement["status"]}


async def main() -> None:
    client = await Client.connect(os.environ["TEMPORAL_ADDRESS"], namespace="shop")
    await Worker(client, task_queue="python", workflows=[EnhancePhoto]).run()


if __name__ == "__main__":
    asyncio.run(main())
