import type { Component, Fault } from './faults.ts';
import type { Cell } from './judge.ts';
import type { Stage } from './lives.ts';

export interface MatrixRow {
  component: Component;
  fault: Fault;
  cells: Record<Stage, Cell>;
}

/**
 * Formats the matrix as Markdown. `–` means: nothing is lost, duplicated, orphaned or misreported. All work ends less than a
 * second later than without a fault, measured from the end of the fault.
 * @param usual the row without a fault
 */
export function matrixTable(
  usual: Record<Stage, Cell>,
  rows: readonly MatrixRow[],
  stages: readonly Stage[],
  limitSeconds: number,
): string {
  const lines = [
    ['what fails', 'how', ...stages],
    Array.from({ length: stages.length + 2 }, () => '---'),
    ['nothing', '', ...stages.map((stage) => `${usual[stage].stalledSeconds?.toFixed(0) ?? `> ${limitSeconds}`} s`)],
    ...rows.map(({ component, fault, cells }) => [
      component,
      fault,
      ...stages.map((stage) => describeCell(cells[stage], usual[stage].stalledSeconds ?? 0, limitSeconds)),
    ]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function describeCell(
  { lost, doubled, orphaned, stalledSeconds, toldWrongly }: Cell,
  usualSeconds: number,
  limitSeconds: number,
): string {
  const later = (stalledSeconds ?? 0) - usualSeconds;
  const counts = Object.entries({ lost, duplicated: doubled, orphaned, misreported: toldWrongly })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `**${name} ${count}**`);
  const stalled =
    stalledSeconds === undefined
      ? [`stalled > ${limitSeconds} s`]
      : later >= 1
        ? [`stalled ${later.toFixed(0)} s`]
        : [];
  return [...counts, ...stalled].join(', ') || '–';
}
