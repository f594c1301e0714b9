import { readFile, writeFile } from 'node:fs/promises';
import type { Figure } from './table.ts';

/** The ratios of the last release, of each figure to each of its floors: they mean the same on other machines. */
const FILE = new URL('release-ratios.json', import.meta.url);

/** Part by which a ratio may be worse before it is told: runs of the same code differ by less. */
const TOLERANCE = 0.1;

export type Ratios = Record<string, number>;

export async function readReleaseRatios(): Promise<Ratios> {
  return JSON.parse(await readFile(FILE, 'utf8')) as Ratios;
}

/** Makes the figures of a run those of the last release. */
export async function saveReleaseRatios(figures: readonly Figure[]): Promise<void> {
  const ratios = Object.fromEntries(ratiosOf(figures).map(({ name, ratio }) => [name, Number(ratio.toFixed(3))]));
  await writeFile(FILE, `${JSON.stringify(ratios, null, 2)}\n`);
}

/** @returns a sentence for each ratio that is worse than that of the last release by more than a tenth, or that is missing */
export function findWorse(figures: readonly Figure[], release: Ratios): string[] {
  const found = new Map(ratiosOf(figures).map((each) => [each.name, each]));
  return Object.entries(release).flatMap(([name, before]) => {
    const now = found.get(name);
    if (now === undefined) return [`"${name}" was not measured. Run again, or save the ratios of this version.`];
    const isWorse = now.isRate ? now.ratio < before * (1 - TOLERANCE) : now.ratio > before * (1 + TOLERANCE);
    return isWorse ? [`"${name}" is ${now.ratio.toFixed(2)}; the last release had ${before.toFixed(2)}.`] : [];
  });
}

function ratiosOf(figures: readonly Figure[]): { name: string; ratio: number; isRate: boolean }[] {
  return figures.flatMap(({ name, value, floors, isRate = false }) =>
    floors.map(([floor, of]) => ({ name: `${name} : ${of}`, ratio: value / floor, isRate })),
  );
}
