import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../src/domain/failures.ts';
import { resolvePdfParameters } from '../src/domain/enhancement/parameters.ts';
import { analyzePdf, enhancePdf } from '../src/engine/pdf/enhance/enhance.ts';

/**
 * Enhances every PDF of a folder with the default parameters at 300 DPI and prints what it charges and how much it grows.
 * Usage: `npx tsx bench/pdf-growth.ts <folder>`
 */
const folder = process.argv[2];
if (folder === undefined) throw new Error('Name a folder of PDFs.');
const scratch = mkdtempSync(join(tmpdir(), 'burnish-growth-'));
const rows: { file: string; credits: number; enhanced: number; growth: number }[] = [];
const codes: Record<string, number> = {};

for (const file of readdirSync(folder).filter((name) => name.endsWith('.pdf'))) {
  const [inputPath, outputPath] = [join(folder, file), join(scratch, 'result.pdf')];
  try {
    const { analysis, facts } = await analyzePdf({ inputPath });
    const made = await enhancePdf({ inputPath, outputPath, facts, parameters: resolvePdfParameters({}, 300) });
    const growth = statSync(outputPath).size / statSync(inputPath).size;
    rows.push({ file, credits: analysis.totalCredits, enhanced: made.enhanced, growth });
  } catch (error) {
    const code = error instanceof Failure ? error.code : String(error);
    codes[code] = (codes[code] ?? 0) + 1;
  }
}
rmSync(scratch, { recursive: true });

const changed = rows.filter(({ enhanced }) => enhanced > 0).sort((a, b) => a.growth - b.growth);
const at = (share: number): string => (changed[Math.floor((changed.length - 1) * share)]?.growth ?? 1).toFixed(2);
console.table(changed.slice(-12).map((row) => ({ ...row, growth: row.growth.toFixed(2) })));
console.log({
  files: rows.length,
  refused: codes,
  changed: changed.length,
  credits: rows.reduce((sum, { credits }) => sum + credits, 0),
  growth: { median: at(0.5), p90: at(0.9), most: at(1) },
});
