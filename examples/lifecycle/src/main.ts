import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker } from '@temporalio/worker';
import { contractSteps } from './activities/contract';
import { engineSteps } from './activities/engine';
import { notifyShop } from './activities/notify';
import { createGateway, TASK_QUEUE } from './gateway';

/*
 * `npm start`: the worker and the gateway in one process. The README lists the variables. Burnish: gateways and workers
 * are processes of their own, each in any number.
 */
async function main(): Promise<void> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const temporal = new Client({ connection: await Connection.connect(connectionOptions), namespace });

  const notify = notifyShop({ url: needed('SHOP_URL'), secret: needed('SHOP_SECRET') });
  const byEngine = process.env['STEPS'] === 'engine';
  const activities = byEngine
    ? engineSteps(process.env['FOLDER'] ?? join(tmpdir(), 'lifecycle'), notify)
    : contractSteps(
        { url: process.env['SERVICE_URL'] ?? 'http://127.0.0.1:3000', apiKey: needed('SERVICE_KEY') },
        notify,
      );
  const worker = await Worker.create({
    connection: await NativeConnection.connect(connectionOptions),
    namespace,
    taskQueue: TASK_QUEUE,
    workflowsPath: require.resolve('./workflows'),
    activities,
    // The engine uses all cores for one picture.
    ...(byEngine ? { maxConcurrentActivityTaskExecutions: 2 } : {}),
  });

  const ofService = byEngine ? {} : { service: needed('SERVICE_SECRET') };
  const gateway = createGateway(temporal, { shop: needed('SHOP_SECRET'), ...ofService });
  const server = gateway.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
  console.log(
    `Webhooks of the shop and of the service go to http://127.0.0.1:${process.env['PORT'] ?? 8080}/webhooks/.`,
  );
  await worker.run();
  server.close();
}

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing. The README says what it is.`);
  return value;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
