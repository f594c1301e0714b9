import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import { type ClockDeps, createAdvanceClock } from '../../test-accounts/advance-clock.ts';
import type { Caller, IdempotencyKey } from '../commands/command-types.ts';
import { claimIdempotencyKey } from '../commands/idempotency.ts';

export function createTestClockCommands({
  idempotencyKeys,
  ...clock
}: ClockDeps & { idempotencyKeys: IdempotencyKeys }) {
  const advanceClock = createAdvanceClock(clock);

  return {
    /** See `AdvanceClock`, also for its failures. @returns the advance */
    async advanceTestClock(
      { account }: Caller,
      seconds: number,
      idempotencyKey: IdempotencyKey,
    ): Promise<{ seconds: number }> {
      const claim = { operation: 'advanceTestClock', fingerprint: String(seconds), subjectId: account.id };
      await advanceClock(account, seconds, () =>
        claimIdempotencyKey(idempotencyKeys, { accountId: account.id, idempotencyKey, ...claim }),
      );
      return { seconds };
    },
  };
}
