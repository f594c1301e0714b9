import { rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { EngineError, enhanceImage } from '@burnish/engine';

/**
 * Enhances an image. Heartbeats carry the progress, and a cancellation stops the work at its next tile or step. A repeated attempt starts again,
 * and gives the same bytes. The result has codes and figures, for the sentences of the caller.
 * @param {{ inputPath: string, outputPath: string, enhancement: object }} order
 */
async function enhance({ inputPath, outputPath, enhancement }) {
  const { info, heartbeat, cancellationSignal: signal } = Context.current();
  // An attempt that has lost its worker may still write.
  const unfinished = `${outputPath}.${info.attempt}`;
  try {
    const result = await enhanceImage({
      inputPath,
      outputPath: unfinished,
      parameters: enhancement,
      signal,
      onProgress: heartbeat,
    });
    await rename(unfinished, outputPath);
    return result;
  } catch (error) {
    await rm(unfinished, { force: true });
    // What is not an error of the engine is the cancellation.
    if (!(error instanceof EngineError) || error.retryable) throw error;
    throw ApplicationFailure.nonRetryable(error.message, error.code, { field: error.field, allowed: error.allowed });
  }
}

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: process.argv[2] ?? '127.0.0.1:7233' }),
  taskQueue: 'images',
  workflowsPath: fileURLToPath(new URL('workflows.mjs', import.meta.url)),
  activities: { enhance },
  maxConcurrentActivityTaskExecutions: 1,
  // A cancellation arrives with the answer to a heartbeat.
  maxHeartbeatThrottleInterval: '1 second',
});
await worker.run();
