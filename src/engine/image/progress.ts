import type { EnhancementProgress } from '../../domain/enhancement/enhancement.ts';
import { PIPELINE } from './pipeline.ts';
import type { PipelineInput } from './pipeline.ts';

export interface Progress {
  /** Begins a step; what comes back takes the part of it that is done, 0 to 1 */
  enter(step: string): (part: number) => void;
  finish(): void;
}

/** CPU milliseconds a megapixel, about */
const DECODE_COST = 20;
const ENCODE_COST = 40;

/** Turns the steps of one job into a fraction of the whole, each step as wide as the work in it. */
export function createProgress(
  onProgress: ((progress: EnhancementProgress) => void) | undefined,
  order: PipelineInput,
): Progress {
  const area = order.scale ** 2;
  const costs: [string, number][] = [
    ['decode', DECODE_COST],
    ...PIPELINE.filter(({ wanted }) => wanted(order)).map(({ name, cost, enlarged }): [string, number] => [
      name,
      (typeof cost === 'number' ? cost : cost(order)) * (enlarged ? area : 1),
    ]),
    ['encode', ENCODE_COST * area],
  ];
  const total = costs.reduce((sum, [, cost]) => sum + cost, 0);
  return {
    enter(step) {
      const index = costs.findIndex(([name]) => name === step);
      const before = costs.slice(0, index).reduce((sum, [, cost]) => sum + cost, 0);
      const own = costs[index]?.[1] ?? 0;
      const tell = (part: number): void => onProgress?.({ step, fraction: (before + own * part) / total });
      tell(0);
      return tell;
    },
    finish: () => onProgress?.({ step: 'encode', fraction: 1 }),
  };
}
