import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveImageParameters } from '@burnish/contract';
import { enhanceImage } from '../../packages/engine/src/image/enhance.ts';
import type { ModelSet } from '../../packages/engine/src/neural/model-set.ts';
import { image } from './cases.ts';
import type { Photograph } from './photographs.ts';

const FORMATS = ['PNG', 'JPEG', 'WEBP', 'AVIF'] as const;
/** PSNR that a strict enlargement promises, dB */
const PROMISED = 45;
/** PSNR of equal pictures in the means, dB */
const EQUAL = 60;

/**
 * Doubles each photograph with `fidelity: STRICT` in each format.
 * @returns a table of the measured fidelity, and the number of results below the promised one
 */
export async function measureStrict(
  photographs: readonly Photograph[],
  models: ModelSet,
  scratch: string,
): Promise<{ text: string; below: number }> {
  const [inputPath, outputPath] = [join(scratch, 'in'), join(scratch, 'out')];
  const rows: string[] = [];
  let below = 0;
  for (const outputFormat of FORMATS) {
    const found: number[] = [];
    let [largest, cpu] = [0, 0];
    for (const photograph of photographs) {
      await writeFile(inputPath, await image(photograph).png({ compressionLevel: 1 }).toBuffer());
      const run = async (own: { fidelity?: 'STRICT' }): Promise<number> => {
        const start = process.cpuUsage();
        const parameters = resolveImageParameters({
          mode: 'OFF',
          upscalingFactor: 'X2',
          engineTier: 'FAST',
          outputFormat,
          ...own,
        });
        const { fidelity } = await enhanceImage({ inputPath, outputPath, parameters, models });
        const { user, system } = process.cpuUsage(start);
        if (fidelity) {
          found.push(fidelity.psnr ?? EQUAL);
          largest = Math.max(largest, fidelity.maxDifference);
        }
        return user + system;
      };
      const plain = await run({});
      cpu += (await run({ fidelity: 'STRICT' })) / plain / photographs.length;
    }
    below += found.filter((psnr) => psnr < PROMISED).length;
    const mean = found.reduce((a, b) => a + b, 0) / found.length;
    const cells = [Math.min(...found).toFixed(1), mean.toFixed(1), largest.toFixed(2), cpu.toFixed(2)];
    rows.push(outputFormat.padEnd(26) + cells.map((cell) => cell.padStart(9)).join(''));
  }
  await Promise.all([inputPath, outputPath].map((path) => rm(path)));
  const head = ['lowest', 'mean', 'largest', 'CPU'].map((cell) => cell.padStart(9)).join('');
  return { text: [`${'strict, PSNR in dB'.padEnd(26)}${head}`, ...rows].join('\n'), below };
}
