import { isCancellation } from '@temporalio/workflow';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import { asProviderFailure, isUnavailable } from './calls.ts';

/**
 * Runs work at the hosted service. The local engine takes over when the service stays unavailable and the policy allows it.
 * @throws Failure in terms that the caller of Burnish understands
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
