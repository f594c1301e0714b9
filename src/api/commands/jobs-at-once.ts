import { jobsAtOnceOf } from '../../domain/accounts/account.ts';
import { counted } from '../../domain/counted.ts';
import { Failure } from '../../domain/failures.ts';
import type { Caller, CommandDeps } from './command-types.ts';

const RETRY_AFTER_SECONDS = 30;

/**
 * Refuses enhancements beyond those that may wait or run at the same time. Orders at once may pass the bound by their own number.
 * @param wanted enhancements that the request orders
 * @throws Failure RATE_LIMITED
 */
export async function assertRoomForJobs(
  { usage }: Pick<CommandDeps, 'usage'>,
  { account, plan }: Pick<Caller, 'account' | 'plan'>,
  wanted: number,
): Promise<void> {
  if (wanted === 0) return;
  const limit = jobsAtOnceOf(account, plan);
  const open = await usage.openEnhancements(account.id, limit);
  if (open + wanted <= limit) return;
  const detail = `At most ${counted(limit, 'enhancement')} of the account may wait or run at the same time; ${open} do. Wait until some have ended.`;
  throw new Failure('RATE_LIMITED', { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
