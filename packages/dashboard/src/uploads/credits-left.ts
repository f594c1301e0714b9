import { signal } from '@preact/signals';
import { get } from '../api/client.ts';
import type { Credits } from '../api/types.ts';

/** Remaining credits of this period; undefined until they are read. */
export const creditsLeft = signal<number | undefined>(undefined);

/** Reads them again; a failure keeps the old number, which is only informative. */
export function loadCredits(): void {
  get<Credits>('/v1/credits').then(
    ({ remainingCreditsThisPeriod: left }) => (creditsLeft.value = left),
    () => undefined,
  );
}
