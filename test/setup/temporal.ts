import { temporalBinary } from '../support/temporal-binary.ts';
import { timeSkippingServer } from '../support/time-skipping-server.ts';

/**
 * Runs once before all tests: fetches both Temporal servers, so that no test's time runs out over a download. When that fails,
 * the tests that need one say so; the others run.
 */
export default async function provideTemporalServers(): Promise<void> {
  for (const result of await Promise.allSettled([temporalBinary(), timeSkippingServer()])) {
    if (result.status === 'rejected') console.warn(result.reason);
  }
}
