import { signal } from '@preact/signals';
import { get } from '../api/client.ts';
import type { Credits } from '../api/types.ts';

/** Credits left in this period; undefined until they are known. */
export const creditsLeft = signal<number | undefined>(undefined);

/** Reads them again; what cannot be read is left as it was, since nothing hangs on it. */
export function loadCredits(): void {
  get<Credits>('/v1/credits').then(
    ({ remainingCreditsThisPeriod: left }) => (creditsLeft.value = left),
    () => undefined,
  );
}
