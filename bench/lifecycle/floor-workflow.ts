import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

interface Steps {
  record(id: string): Promise<void>;
  work(): Promise<void>;
}

/** The minimum of every lifecycle: a step that records, the work, and a second step that records. */
export async function floor(id: string): Promise<void> {
  const { record } = proxyLocalActivities<Steps>({ startToCloseTimeout: '1 minute' });
  const { work } = proxyActivities<Steps>({ startToCloseTimeout: '1 minute' });
  await record(id);
  await work();
  await record(id);
}
