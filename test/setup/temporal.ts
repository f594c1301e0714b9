import { migratedDatabase } from '../support/migrated-database.ts';
import { testModels } from '../support/models.ts';
import { s3ServerBinary } from '../support/s3-server-binary.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { archivedTimeSkippingServer } from '../support/time-skipping-server.ts';
import { bundleWorkflows } from '../support/workflow-bundle.ts';

/**
 * Runs once before all tests, so that no test's time runs out over it: fetches both Temporal servers and the neural networks,
 * builds the S3 server, bundles the workflows and makes an embedded database. When one fails, the tests that need it say so.
 */
export default async function provideDownloads(): Promise<void> {
  for (const result of await Promise.allSettled([
    temporalBinary(),
    archivedTimeSkippingServer(),
    testModels(),
    s3ServerBinary(),
    migratedDatabase(),
    bundleWorkflows(),
  ])) {
    if (result.status === 'rejected') console.warn(result.reason);
  }
}
