import { NativeConnection, Worker } from '@temporalio/worker';
import { contractSteps } from '../activities/contract';
import { TASK_QUEUE } from '../gateway';

/** The worker that the test kills: `<address of Temporal> <address of the service> <its key>`. */
async function main([address, url, apiKey]: string[]): Promise<void> {
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address: address! }),
    taskQueue: TASK_QUEUE,
    workflowsPath: require.resolve('../workflows'),
    activities: contractSteps({ url: url!, apiKey: apiKey! }, () => Promise.reject(new Error('It lives too long.'))),
    // A Temporal server gives the workflows in the memory of a lost worker to others after ten seconds, the test server never.
    maxCachedWorkflows: 0,
  });
  await worker.run();
}

void main(process.argv.slice(2));
