import { isCancellation } from '@temporalio/workflow';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { asProviderFailure, isUnavailable } from './calls.ts';

/**
 * Work at the hosted service, which the local engine takes over when the service stays away and the policy says so.
 * @throws Failure in words that the caller of Burnish can place
 */
export async function withFallback<T>(
  { fallback }: Pick<HostedPolicy, 'fallback'>,
  atService: () => Promise<T>,
  takeOver: () => Promise<T>,
): Promise<T> {
  try {
    return await atService();
  } catch (error) {
    if (isCancellation(error)) throw error;
    if (fallback === 'none' || !isUnavailable(error)) throw asProviderFailure(error);
  }
  return await takeOver();
}
