import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

interface Steps {
  step(): Promise<void>;
}

/** The minimum of every lifecycle: a step that records, the work, and a second step that records. */
export async function floor(): Promise<void> {
  const local = proxyLocalActivities<Steps>({ startToCloseTimeout: '1 minute' });
  const remote = proxyActivities<Steps>({ startToCloseTimeout: '1 minute' });
  await local.step();
  await remote.step();
  await local.step();
}
