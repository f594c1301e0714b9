import { condition, setHandler, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { type ClockAdvance, clockAdvanced } from '../domain/temporal/workflow-interface.ts';

const MEMO = 'clockAdvancedMs';
const MEMO_OF_IDS = 'clockAdvanceIds';

/** Advances that this run has counted */
const counted: ClockAdvance[] = [];

/**
 * Milliseconds by which the clock of a test account has been advanced since the start of this workflow; 0 for any other
 * account. The memo keeps them over continue-as-new.
 */
export const clockAdvance = (): number => (workflowInfo().memo?.[MEMO] as number | undefined) ?? 0;

/** Advances that this run has counted, in their order. */
export const countedAdvances = (): readonly ClockAdvance[] => [...counted];

/** The memo of a workflow whose clock starts ahead by these advances. */
export const memoOfClock = (advances: readonly ClockAdvance[]) => ({
  memo: {
    [MEMO]: advances.reduce((sum, { seconds }) => sum + seconds * 1_000, 0),
    [MEMO_OF_IDS]: advances.map(({ id }) => id),
  },
});

/** Time by the clock of the account, milliseconds since the epoch. */
export const accountNow = (): number => Date.now() + clockAdvance();

/** Only test accounts get the signal. */
export function followClock(): void {
  const before = (workflowInfo().memo?.[MEMO_OF_IDS] as string[] | undefined) ?? [];
  setHandler(clockAdvanced, (advance) => {
    const { id, seconds } = advance;
    if (before.includes(id) || counted.some((each) => each.id === id)) return;
    counted.push(advance);
    upsertMemo({ [MEMO]: clockAdvance() + seconds * 1_000 });
  });
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
