export interface Figure {
  name: string;
  value: number;
  /** Lower bound on the same machine, in the same run */
  floor?: { value: number; of: string };
  unit: string;
}

/** Formats a Markdown table: each figure with its floor, and their ratio, which also applies to other machines. */
export function markdownTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, floor, unit }) => [
    name,
    `${shown(value)}${unit}`,
    floor === undefined ? '' : `${shown(floor.value)}${unit} (${floor.of})`,
    floor === undefined ? '' : (value / floor.value).toFixed(2),
  ]);
  const lines = [['figure', 'measured', 'floor in the same run', 'ratio'], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const shown = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
