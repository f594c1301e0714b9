import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { BurnishPlugin } from '@burnish/client/worker';

const address = process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';
const namespace = 'shop';
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  namespace,
  taskQueue: 'photos',
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  plugins: [new BurnishPlugin({ token: process.env.BURNISH_TOKEN ?? '' })],
});
const client = new Client({ connection: await Connection.connect({ address }), namespace });
const options = { taskQueue: 'photos', workflowId: randomUUID(), args: [process.argv[2]] };
console.log(await worker.runUntil(client.workflow.execute('publishPhoto', options)));
process.exit();
