import type { Component, Fault } from './faults.ts';
import type { Cell } from './judge.ts';
import type { Stage } from './lives.ts';

export interface MatrixRow {
  component: Component;
  fault: Fault;
  cells: Record<Stage, Cell>;
}

/** The matrix as Markdown. `–`: nothing lost, doubled, orphaned or told wrongly, and done within a second of the fault's end. */
export function matrixTable(rows: readonly MatrixRow[], stages: readonly Stage[], limitSeconds: number): string {
  const lines = [
    ['what fails', 'how', ...stages],
    Array.from({ length: stages.length + 2 }, () => '---'),
    ...rows.map(({ component, fault, cells }) => [
      component,
      fault,
      ...stages.map((stage) => describeCell(cells[stage], limitSeconds)),
    ]),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function describeCell({ lost, doubled, orphaned, stalledSeconds, toldWrongly }: Cell, limitSeconds: number): string {
  const counts = Object.entries({ lost, doubled, orphaned, 'told wrongly': toldWrongly })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `**${name} ${count}**`);
  const stalled =
    stalledSeconds === undefined
      ? [`stalled > ${limitSeconds} s`]
      : stalledSeconds >= 1
        ? [`stalled ${stalledSeconds.toFixed(0)} s`]
        : [];
  return [...counts, ...stalled].join(', ') || '–';
}
