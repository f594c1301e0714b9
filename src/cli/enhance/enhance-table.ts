import { formatBytes, formatDuration, formatPixels } from './enhance-format.ts';
import { printable, printableName } from '../printable.ts';
import type { FileOutcome } from './enhance-file.ts';

const HEADER = ['File', 'State', 'Pixels', 'Size', 'Credits', 'Time', 'Result'];
const NOTHING = '–';

/** The outcomes as a table of plain text, and below it a sentence for each failure or decision. */
export function summaryTable(outcomes: readonly FileOutcome[]): string {
  const rows = [HEADER, ...outcomes.map(row)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((cells) => [...cells[column]!].length)));
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) => cell + ' '.repeat(widths[column]! - [...cell].length))
      .join('  ')
      .trimEnd(),
  );
  const remarks = outcomes
    .map(named)
    .flatMap(({ file, error, notes, reused }) => [
      ...(error === null ? [] : [`${file}: ${error.code === null ? '' : `${error.code}: `}${error.sentence}`]),
      ...(reused ? [`${file}: the stored result of an equal request was reused at no charge.`] : []),
      ...notes.map((note) => `${file}: ${note}`),
    ]);
  return printable([...lines, ...(remarks.length === 0 ? [] : ['', ...remarks]), ''].join('\n'));
}

const named = <Outcome extends FileOutcome>(outcome: Outcome): Outcome => ({
  ...outcome,
  file: printableName(outcome.file),
});

function row({ file, state, before, after, credits, durationMs, savedAs }: FileOutcome): string[] {
  return [
    printableName(file),
    state,
    before === null ? NOTHING : change(formatPixels(before), after && formatPixels(after)),
    before === null ? NOTHING : change(formatBytes(before.size), after && formatBytes(after.size)),
    credits === null ? NOTHING : String(credits),
    durationMs === null ? NOTHING : formatDuration(durationMs),
    savedAs === null ? NOTHING : printableName(savedAs),
  ];
}

function change(before: string, after: string | null): string {
  return after === null || after === before ? before : `${before} → ${after}`;
}
