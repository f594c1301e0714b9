import { condition, setHandler, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { clockAdvanced } from '../domain/temporal/workflow-interface.ts';

const MEMO = 'clockAdvancedMs';

/**
 * Milliseconds by which the clock of a test account has been advanced since the start of this workflow; 0 for any other
 * account. The memo keeps them over continue-as-new.
 */
export const clockAdvance = (): number => (workflowInfo().memo?.[MEMO] as number | undefined) ?? 0;

/** The memo of a workflow whose clock starts ahead. */
export const memoOfClock = (advancedMs: number) => ({ memo: { [MEMO]: advancedMs } });

/** Time by the clock of the account, milliseconds since the epoch. */
export const accountNow = (): number => Date.now() + clockAdvance();

/** Only test accounts get the signal. */
export function followClock(): void {
  setHandler(clockAdvanced, ({ seconds }) => upsertMemo({ [MEMO]: clockAdvance() + seconds * 1_000 }));
}

/**
 * Waits until a moment by the clock of the account, or until the workflow is woken. Without an advanced clock, it issues the
 * commands of one wait.
 * @param momentMs milliseconds since the epoch
 * @returns whether it was woken
 */
export async function waitUntil(
  momentMs: number,
  isWoken: () => boolean,
  options: { summary?: string } = {},
): Promise<boolean> {
  for (;;) {
    const advance = clockAdvance();
    const left = momentMs - accountNow();
    if (advance > 0 && left <= 0) return isWoken();
    const isOver = !(await condition(() => isWoken() || clockAdvance() !== advance, Math.max(1, left), options));
    if (isOver) return false;
    if (clockAdvance() === advance || isWoken()) return true;
  }
}
