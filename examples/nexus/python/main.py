import asyncio, os, sys, uuid
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
class PublishPhoto:
    @workflow.run
    async def run(self, url: str) -> str:
        burnish = workflow.create_nexus_client(service=Burnish, endpoint="shop")
        enhancement = await burnish.execute_operation(
            Burnish.enhance,
            {"source": {"url": url}, "enhancements": [{"upscalingFactor": "X2"}]},
            schedule_to_close_timeout=timedelta(days=1),
            headers={"burnish-token": TOKEN},
        )
        return enhancement["fullUrl"]


async def main() -> None:
    address = os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233")
    client = await Client.connect(address, namespace="shop")
    async with Worker(client, task_queue="python-photos", workflows=[PublishPhoto]):
        print(
            await client.execute_workflow(
                PublishPhoto.run, sys.argv[1], id=str(uuid.uuid4()), task_queue="python-photos"
            )
        )


if __name__ == "__main__":
    asyncio.run(main())
