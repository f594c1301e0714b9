import { testModels } from '../support/models.ts';
import { s3ServerBinary } from '../support/s3-server-binary.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { timeSkippingServer } from '../support/time-skipping-server.ts';

/**
 * Runs once before all tests: fetches both Temporal servers and the neural networks and builds the S3 server, so that no
 * test's time runs out over it. When that fails, the tests that need one say so; the others run.
 */
export default async function provideDownloads(): Promise<void> {
  for (const result of await Promise.allSettled([
    temporalBinary(),
    timeSkippingServer(),
    testModels(),
    s3ServerBinary(),
  ])) {
    if (result.status === 'rejected') console.warn(result.reason);
  }
}
