import { colourError, psnrY, ssimY } from './metrics.ts';
import type { Rgb } from './metrics.ts';
import type { Attempt } from './contenders.ts';

export interface Table {
  add(contender: string, original: Rgb, attempt: Attempt): void;
  text(): string;
}

interface Sums {
  count: number;
  psnr: number;
  ssim: number;
  colour: number;
  cpuSeconds: number;
  megapixels: number;
}

/** Beyond this, dB, two pictures are taken for equal, so that one equal pair does not make a mean infinite. */
const MOST_PSNR = 60;

/** Means of the measures over the photographs, by contender. */
export function createTable(title: string): Table {
  const sums = new Map<string, Sums>();
  return {
    add(contender, original, attempt) {
      const sum = sums.get(contender) ?? { count: 0, psnr: 0, ssim: 0, colour: 0, cpuSeconds: 0, megapixels: 0 };
      sum.count += 1;
      sum.psnr += Math.min(MOST_PSNR, psnrY(original, attempt));
      sum.ssim += ssimY(original, attempt);
      sum.colour += colourError(original, attempt);
      sum.cpuSeconds += attempt.cpuSeconds;
      sum.megapixels += (attempt.width * attempt.height) / 1e6;
      sums.set(contender, sum);
    },
    text() {
      const rows = [...sums].map(([name, { count, psnr, ssim, colour, cpuSeconds, megapixels }]) =>
        row(
          name,
          (psnr / count).toFixed(2),
          (ssim / count).toFixed(3),
          (colour / count).toFixed(2),
          (cpuSeconds / megapixels).toFixed(2),
        ),
      );
      return [row(title, 'PSNR-Y', 'SSIM', 'ΔE*ab', 'CPU-s/MP'), ...rows].join('\n');
    },
  };
}

const row = (name: string, ...cells: string[]): string =>
  name.padEnd(26) + cells.map((cell) => cell.padStart(10)).join('');
