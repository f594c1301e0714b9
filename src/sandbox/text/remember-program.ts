import type { NoTextProgram, TextProgram } from './text-program.ts';

/** Time for which an answer counts, milliseconds: an operator may install the program at any time. */
const KNOWN_MS = 30_000;

export type LookForText = () => Promise<TextProgram | NoTextProgram>;

/** Looks for the program at most twice a minute. @param now milliseconds of a monotonic clock */
export function rememberProgram(find: LookForText, now: () => number = () => performance.now()): LookForText {
  let last: { at: number; found: ReturnType<LookForText> } | undefined;
  return () => {
    if (last === undefined || now() - last.at > KNOWN_MS) last = { at: now(), found: find() };
    return last.found;
  };
}
