import { migratedDatabase } from '../support/migrated-database.ts';
import { testModels } from '../support/models.ts';
import { s3ServerBinary } from '../support/s3-server-binary.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { timeSkippingServer } from '../support/time-skipping-server.ts';

/**
 * Runs once before all tests: fetches both Temporal servers and the neural networks, builds the S3 server, and makes an
 * embedded database, so that no
 * test's time runs out over it. When that fails, the tests that need one say so; the others run.
 */
export default async function provideDownloads(): Promise<void> {
  for (const result of await Promise.allSettled([
    temporalBinary(),
    timeSkippingServer(),
    testModels(),
    s3ServerBinary(),
    migratedDatabase(),
  ])) {
    if (result.status === 'rejected') console.warn(result.reason);
  }
}
