import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';

const { enhance } = proxyActivities({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** @param {{ inputPath: string, outputPath: string, enhancement: object }} order */
export async function enhanceFile(order) {
  return await enhance(order);
}
