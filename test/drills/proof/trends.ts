import type { Part } from '../../../bench/lifecycle/processes.ts';
import { FOLDERS, type Sample } from './sample.ts';

/** Lifecycles after which caches and pools are full: Temporal keeps 1,000 entries, two for each workflow. */
const WARM_AFTER = 1_000;
/** Share of a run from which slopes are measured. */
const SLOPE_FROM = 1 / 3;
/** Samples at each end whose median is compared, because one sample depends on the last garbage collection. */
const COMPARED = 3;
/** Longer than the retention of changes, which are kept longest. */
export const DAYS_LATER = 8;
const MAX_GROWTH = 1.1;
/** Idle connections come and go. */
const MAX_MORE_DESCRIPTORS = 10;

const PARTS: readonly [Part, string][] = [
  ['burnish', 'gateway and workers'],
  ['engine', 'decoders'],
  ['temporal', 'Temporal'],
];

/** What stays of deleted uploads: tombstones, ledger, audit log and the log of deliveries. The others do not belong to an upload. */
const KEPT = [
  ...['uploads', 'enhancements', 'credit_entries', 'credit_totals', 'audit_entries'],
  ...['deliveries', 'delivery_attempts', 'webhook_events', 'account_storage', 'leases'],
];

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Sentences about parts whose memory or descriptors still grow when caches are full; none if there are too few samples. */
export function growth(samples: readonly Sample[]): string[] {
  const warm = samples.filter(({ lifecycles }) => lifecycles >= WARM_AFTER);
  if (warm.length < 2 * COMPARED) return [];
  const late = warm.slice(-COMPARED);
  return PARTS.flatMap(([part, name]) => {
    // The work of a moment decides about the number of decoders, so that they count at their most.
    const early = part === 'engine' ? samples.slice(0, -COMPARED) : warm.slice(0, COMPARED);
    const usual = part === 'engine' ? (values: number[]): number => Math.max(...values) : median;
    const [before, fewer] = [
      usual(early.map(({ memory }) => memory[part])),
      usual(early.map(({ descriptors }) => descriptors[part])),
    ];
    const after = median(late.map(({ memory }) => memory[part]));
    const more = median(late.map(({ descriptors }) => descriptors[part]));
    return [
      ...(after > before * MAX_GROWTH
        ? [`Memory of ${name} grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB.`]
        : []),
      ...(more > fewer + MAX_MORE_DESCRIPTORS ? [`Descriptors of ${name} grew from ${fewer} to ${more}.`] : []),
    ];
  });
}

/**
 * Growth of a figure in an hour: the median of the slopes between all pairs of samples, which single high ones do not move
 * (Theil and Sen).
 */
export function slopeOf(samples: readonly Sample[], figure: (sample: Sample) => number): number {
  const slopes = samples.flatMap((late, index) =>
    samples.slice(0, index).map((early) => (figure(late) - figure(early)) / (late.hours - early.hours)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Rows of each table by the time at which they were counted. */
export type RowCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * Sentences about the remains of deleted uploads beyond their tombstones.
 * @param first rows before the first upload
 * @param later rows after everything has expired
 * @param megabytes of files before the first upload and after all deletions
 */
export function leftovers(
  first: Readonly<Record<string, number>>,
  later: Readonly<Record<string, number>>,
  megabytes: readonly [number, number],
  openWorkflows: number,
): string[] {
  const rows = Object.entries(later)
    .filter(([table, count]) => !KEPT.includes(table) && count > (first[table] ?? 0))
    .map(([table, count]) => `${count} rows are left in ${table}.`);
  const files = megabytes[1] > megabytes[0] + 1 ? [`${megabytes[1].toFixed(0)} MB of files are left.`] : [];
  return [...rows, ...files, ...(openWorkflows > 0 ? [`${openWorkflows} workflows are still open.`] : [])];
}

const FIGURES: readonly [string, (sample: Sample) => number][] = [
  ...PARTS.map(([part, name]): [string, (sample: Sample) => number] => [
    `memory of ${name}, MB`,
    ({ memory }) => memory[part],
  ]),
  ...PARTS.map(([part, name]): [string, (sample: Sample) => number] => [
    `descriptors of ${name}`,
    ({ descriptors }) => descriptors[part],
  ]),
  ...FOLDERS.map((name): [string, (sample: Sample) => number] => [`\`${name}\`, MB`, ({ sizes }) => sizes[name]]),
  ['workflows, open', ({ histories }) => histories.open],
  ['workflows, closed', ({ histories }) => histories.closed],
];

/**
 * Formats a run as Markdown: each figure at the start, after a third and at the end, with its slope since the third, and the rows of
 * the tables in a second table.
 */
export function trendTables(samples: readonly Sample[], rows: RowCounts): string {
  const warm = samples.slice(Math.floor(samples.length * SLOPE_FROM));
  const figures = FIGURES.map(([name, figure]) => [
    name,
    ...[samples[0]!, warm[0]!, samples.at(-1)!].map((sample) => figure(sample).toFixed(0)),
    slopeOf(warm, figure).toFixed(1),
  ]);
  const head = ['', 'start', 'after a third', 'end', 'growth in an hour'];
  const tables = [...new Set(Object.values(rows).flatMap(Object.keys))].toSorted();
  const counted = tables.map((table) => [
    `\`${table}\``,
    ...Object.values(rows).map((counts) => String(counts[table] ?? 0)),
  ]);
  return `${markdown(head, figures)}\n\n${markdown(['rows', ...Object.keys(rows)], counted)}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
