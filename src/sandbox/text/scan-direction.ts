import type { QuarterTurns } from '@burnish/engine/host';

/** Confidence of Tesseract in a direction from which on a page is turned: that of wrong ones stays below it. */
const LEAST_CONFIDENCE = 10;

/**
 * Least mean confidence of Tesseract in the letters of a page whose direction nothing else shows, percent: those of upright print
 * have more, and those of print on its head about 30.
 */
const LEAST_READABLE = 50;

/** Level of a word in the table of Tesseract. */
const WORD = '5';

/** Reads the quarter turns clockwise that make a page upright from the report of `--psm 0`. @returns undefined for a doubtful one */
export function parseDirection(report: string): QuarterTurns | undefined {
  const [degrees, confidence] = [/^Rotate: (0|90|180|270)$/m, /^Orientation confidence: (\d+(?:\.\d+)?)$/m].map(
    (form) => Number(form.exec(report)?.[1] ?? Number.NaN),
  ) as [number, number];
  return confidence >= LEAST_CONFIDENCE && degrees % 90 === 0 ? ((degrees / 90) as QuarterTurns) : undefined;
}

/** Whether the words of a table of Tesseract (`tsv`) are sure enough to be those of an upright page; also for a table without any. */
export function isReadable(table: string): boolean {
  let [letters, sum] = [0, 0];
  for (const row of table.split('\n')) {
    const [level, ...cells] = row.split('\t');
    const [confidence, text] = [Number(cells[9]), (cells[10] ?? '').trim()];
    if (level !== WORD || text === '' || !(confidence >= 0 && confidence <= 100)) continue;
    letters += text.length;
    sum += text.length * confidence;
  }
  return letters === 0 || sum / letters >= LEAST_READABLE;
}
