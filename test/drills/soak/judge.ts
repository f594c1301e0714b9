import type { Part } from '../../../bench/lifecycle/processes.ts';
import { FOLDERS, type Sample } from './sample.ts';

/** Files after which caches and pools are full. */
const WARM_AFTER = 2_000;
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

/** What stays of deleted uploads: tombstones, ledger and audit log. Plans and keys do not belong to an upload. */
const KEPT = ['uploads', 'enhancements', 'credit_entries', 'credit_totals', 'audit_entries', 'leases'];

/** Sentences about parts that still grow after the first files; none if there are too few samples. */
export function growth(samples: readonly Sample[]): string[] {
  const warm = samples.slice(0, -1).filter(({ files }) => files >= WARM_AFTER);
  if (warm.length < 2 * COMPARED) return [];
  const [early, late] = [warm.slice(0, COMPARED), warm.slice(-COMPARED)];
  return PARTS.flatMap(([part, name]) => {
    const [before, after] = [early, late].map((group) => median(group.map(({ memory }) => memory[part])));
    const [fewer, more] = [early, late].map((group) => median(group.map(({ descriptors }) => descriptors[part])));
    return [
      ...(after! > before! * MAX_GROWTH
        ? [`Memory of ${name} grew from ${before!.toFixed(0)} to ${after!.toFixed(0)} MB.`]
        : []),
      ...(more! > fewer! + MAX_MORE_DESCRIPTORS ? [`Descriptors of ${name} grew from ${fewer} to ${more}.`] : []),
    ];
  });
}

/**
 * Sentences about the remains of deleted uploads beyond their tombstones.
 * @param later rows after everything has expired
 */
export function leftovers(samples: readonly Sample[], later: Readonly<Record<string, number>>): string[] {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const rows = Object.entries(later)
    .filter(([table, count]) => !KEPT.includes(table) && count > (first.rows[table] ?? 0))
    .map(([table, count]) => `${count} rows are left in ${table}.`);
  const files =
    last.sizes.files > first.sizes.files + 1 ? [`${last.sizes.files.toFixed(0)} MB of files are left.`] : [];
  const { open } = last.histories;
  return [...rows, ...files, ...(open > 0 ? [`${open} workflows are still open.`] : [])];
}

/** Formats the samples as Markdown, one row each, and the rows of the tables in a second table. */
export function soakTable(samples: readonly Sample[], later: Readonly<Record<string, number>>): string {
  const names = PARTS.map(([, name]) => name);
  const tables = [...new Set(samples.flatMap(({ rows }) => Object.keys(rows)))].toSorted();
  const figures = samples.map(({ when, memory, descriptors, sizes, histories: { open, closed } }) => [
    when,
    ...PARTS.map(([part]) => `${memory[part].toFixed(0)} MB`),
    PARTS.map(([part]) => descriptors[part]).join(' / '),
    ...FOLDERS.map((name) => `${sizes[name].toFixed(0)} MB`),
    `${open} / ${closed}`,
  ]);
  const folders = FOLDERS.map((name) => `\`${name}\``);
  const counted = [...samples, { when: `${DAYS_LATER} days later`, rows: later }];
  const rows = counted.map(({ when, rows: counts }) => [when, ...tables.map((name) => String(counts[name] ?? 0))]);
  return `${markdown(['', ...names, 'descriptors of these', ...folders, 'workflows open / closed'], figures)}\n\n${markdown(['rows', ...tables.map((name) => `\`${name}\``)], rows)}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
