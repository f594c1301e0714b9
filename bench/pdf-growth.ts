import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../src/domain/failures.ts';
import { resolvePdfParameters } from '../src/domain/enhancement/parameters.ts';
import { analyzePdf, enhancePdf, estimatePdf } from '../src/engine/pdf/enhance/enhance.ts';

/**
 * Enhances every PDF of a folder with the default parameters at 300 DPI. Prints the charge, the growth, and the error of the
 * estimated size. Usage: `npx tsx bench/pdf-growth.ts <folder>`
 */
const folder = process.argv[2];
if (folder === undefined) throw new Error('Name a folder of PDFs.');
const scratch = mkdtempSync(join(tmpdir(), 'burnish-growth-'));
const rows: { file: string; credits: number; enhanced: number; growth: number; estimate: number }[] = [];
const codes: Record<string, number> = {};

for (const file of readdirSync(folder).filter((name) => name.endsWith('.pdf'))) {
  const [inputPath, outputPath] = [join(folder, file), join(scratch, 'result.pdf')];
  try {
    const { analysis, facts } = await analyzePdf({ inputPath });
    const parameters = resolvePdfParameters({}, 300);
    const { bytes } = await estimatePdf({ facts, parameters });
    const made = await enhancePdf({ inputPath, outputPath, facts, parameters });
    const [original, result] = [statSync(inputPath).size, statSync(outputPath).size];
    const size = { growth: result / original, estimate: bytes / result };
    rows.push({ file, credits: analysis.totalCredits, enhanced: made.enhanced, ...size });
  } catch (error) {
    const code = error instanceof Failure ? error.code : String(error);
    codes[code] = (codes[code] ?? 0) + 1;
  }
}
rmSync(scratch, { recursive: true });

const changed = rows.filter(({ enhanced }) => enhanced > 0).sort((a, b) => a.growth - b.growth);
const at = (share: number): string => (changed[Math.floor((changed.length - 1) * share)]?.growth ?? 1).toFixed(2);
console.table(changed.map((row) => ({ ...row, growth: row.growth.toFixed(2), estimate: row.estimate.toFixed(2) })));
/** Ratio of estimated and real size, as a factor of at least 1 in either direction. */
const errors = changed.map(({ estimate }) => Math.max(estimate, 1 / estimate)).sort((a, b) => a - b);
const errorAt = (share: number): string => (errors[Math.floor((errors.length - 1) * share)] ?? 1).toFixed(2);
console.log({
  files: rows.length,
  refused: codes,
  changed: changed.length,
  credits: rows.reduce((sum, { credits }) => sum + credits, 0),
  growth: { median: at(0.5), p90: at(0.9), most: at(1) },
  estimateError: { median: errorAt(0.5), p90: errorAt(0.9), most: errorAt(1) },
});
