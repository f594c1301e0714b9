import type { UsageDay } from '../api/types.ts';

export const FIGURES = [
  { value: 'finished', label: 'Enhancements' },
  { value: 'credits', label: 'Credits' },
  { value: 'failed', label: 'Failures' },
] as const;
export type Figure = (typeof FIGURES)[number]['value'];

/** Keys with a colour of their own; further keys share the last colour. */
export const MOST_COLOURS = 5;

type UsageOfKey = UsageDay['keys'][number];

/** What one key ordered, in all days and on each of them. */
export interface KeySeries extends Pick<UsageOfKey, 'keyId' | 'keyName' | Figure> {
  /** Place of its colour, 0 to `MOST_COLOURS` */
  colour: number;
  /** By day, `YYYY-MM-DD` */
  days: ReadonlyMap<string, UsageOfKey>;
}

/** The use of each key, that with the most enhancements first. Its colour stays whichever figure is shown. */
export function seriesOfKeys(days: readonly UsageDay[]): KeySeries[] {
  const byKey = new Map<string | null, (UsageOfKey & { day: string })[]>();
  for (const { day, keys } of days)
    for (const each of keys) byKey.set(each.keyId, [...(byKey.get(each.keyId) ?? []), { ...each, day }]);
  return [...byKey.entries()]
    .map(([keyId, ofKey]) => {
      const total = (figure: Figure): number => ofKey.reduce((sum, each) => sum + each[figure], 0);
      return {
        keyId,
        keyName: ofKey[0]!.keyName,
        ...{ finished: total('finished'), credits: total('credits'), failed: total('failed') },
        days: new Map(ofKey.map((each) => [each.day, each])),
      };
    })
    .sort((a, b) => b.finished - a.finished || b.failed - a.failed)
    .map((each, place) => ({ ...each, colour: Math.min(place, MOST_COLOURS) }));
}

/** How a person knows a key. */
export const nameOfKey = ({ keyId, keyName }: Pick<UsageOfKey, 'keyId' | 'keyName'>): string =>
  keyName ?? (keyId === null ? 'Unknown key' : 'Deleted key');
