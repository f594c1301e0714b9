export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Lower bounds on the same machine, in the same run */
  floors: readonly (readonly [value: number, of: string])[];
  /** Whether more is better; of all others, less is */
  isRate?: boolean;
}

/** Formats a Markdown table: a row for each floor of a figure, and their ratio, which also applies to other machines. */
export function markdownTable(figures: readonly Figure[]): string {
  const rows = figures.flatMap(({ name, value, unit, floors }) => {
    const measured = `${shown(value)}${unit}`;
    if (floors.length === 0) return [[name, measured, '', '']];
    return floors.map(([floor, of]) => [name, measured, `${shown(floor)}${unit} (${of})`, (value / floor).toFixed(2)]);
  });
  const lines = [['figure', 'measured', 'floor in the same run', 'ratio'], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const shown = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
