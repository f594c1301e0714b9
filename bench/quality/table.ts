import { colourError, psnrY, ssimY, type Rgb } from './metrics.ts';
import type { Attempt } from './contenders.ts';

export interface Table {
  /** @param before ΔE of the given picture, if it had the original's size */
  add(contender: string, original: Rgb, attempt: Attempt, before?: number): void;
  text(): string;
  /** Mean ΔE by contender, the worst ΔE, and the number of pictures above `STRONG` */
  errors(): Map<string, number>;
}

interface Sums {
  count: number;
  psnr: number;
  ssim: number;
  colours: number[];
  better: number;
  worse: number;
  cpuSeconds: number;
  megapixels: number;
}

/** Maximum PSNR in dB. Two pictures beyond it count as equal, so that one equal pair does not make a mean infinite. */
const MOST_PSNR = 60;
/** Minimum difference of ΔE that counts as better or worse. */
const NOTABLE = 0.5;
/** ΔE that people see at first sight in a photograph. */
const STRONG = 6;
const worst = ({ colours }: Sums): number => Math.max(...colours);
const strong = ({ colours }: Sums): number => colours.filter((colour) => colour > STRONG).length;

/** Means of the measures over the photographs, by contender. */
export function createTable(title: string): Table {
  const sums = new Map<string, Sums>();
  const mean = ({ colours }: Sums): number => colours.reduce((a, b) => a + b, 0) / colours.length;
  return {
    add(contender, original, attempt, before) {
      const sum = sums.get(contender) ?? { ...NOTHING, colours: [] };
      const colour = colourError(original, attempt);
      sum.count += 1;
      sum.psnr += Math.min(MOST_PSNR, psnrY(original, attempt));
      sum.ssim += ssimY(original, attempt);
      sum.colours.push(colour);
      if (before !== undefined && colour < before - NOTABLE) sum.better += 1;
      if (before !== undefined && colour > before + NOTABLE) sum.worse += 1;
      sum.cpuSeconds += attempt.cpuSeconds;
      sum.megapixels += (attempt.width * attempt.height) / 1e6;
      sums.set(contender, sum);
    },
    text() {
      const rows = [...sums].map(([name, sum]) =>
        row(
          name,
          (sum.psnr / sum.count).toFixed(2),
          (sum.ssim / sum.count).toFixed(3),
          mean(sum).toFixed(2),
          median(sum.colours).toFixed(2),
          worst(sum).toFixed(2),
          String(strong(sum)),
          String(sum.better),
          String(sum.worse),
          (sum.cpuSeconds / sum.megapixels).toFixed(2),
        ),
      );
      return [
        row(title, 'PSNR-Y', 'SSIM', 'ΔE*ab', 'median', 'worst', `above ${STRONG}`, 'better', 'worse', 'CPU-s/MP'),
        ...rows,
      ].join('\n');
    },
    errors: () =>
      new Map(
        [...sums].flatMap(([name, sum]) => [
          [name, mean(sum)],
          [`${name}, worst`, worst(sum)],
          [`${name}, above ${STRONG}`, strong(sum)],
        ]),
      ),
  };
}

const NOTHING = { count: 0, psnr: 0, ssim: 0, better: 0, worse: 0, cpuSeconds: 0, megapixels: 0 };

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

const row = (name: string, ...cells: string[]): string =>
  name.padEnd(36) + cells.map((cell) => cell.padStart(9)).join('');

/** Mean and maximum over the pictures by property. @param found values of the properties by picture */
export function propertyTable(
  title: string,
  found: ReadonlyMap<string, Readonly<Record<string, number>>>,
): { text: string; errors: Map<string, number> } {
  const names = Object.keys([...found.values()][0] ?? {});
  const errors = new Map<string, number>();
  const rows = names.map((name) => {
    const pictures = [...found].map(([picture, own]) => ({ picture, value: own[name]! }));
    const most = pictures.reduce((a, b) => (b.value > a.value ? b : a));
    const average = pictures.reduce((sum, { value }) => sum + value, 0) / pictures.length;
    errors.set(name, most.value).set(`${name}, mean`, average);
    return `${row(name, average.toFixed(2), most.value.toFixed(2))}  ${most.picture}`;
  });
  return { text: [row(title, 'mean', 'maximum'), ...rows].join('\n'), errors };
}
