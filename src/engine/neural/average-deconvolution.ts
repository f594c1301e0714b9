import type { ConvolutionLayer } from './ncnn-network.ts';

/**
 * Derives a network that preserves the size of a picture: an enlarging network with its output averaged over each 2×2
 * pixels. The mean is folded into the last layer, a deconvolution of kernel 4, stride 2, padding 3. It becomes a plain
 * convolution of kernel 3: along one axis, the weights for a pair of pixels are taps 3, 1 + 2 and 0, halved.
 */
export function averageDeconvolution(layers: readonly ConvolutionLayer[]): ConvolutionLayer[] {
  const last = layers.at(-1);
  if (last?.kind !== 'deconvolution' || last.kernel !== 4 || last.stride !== 2 || last.pad !== 3 || last.slope !== 1) {
    throw new Error('The network does not end as one that doubles the size.');
  }
  const weights = new Float32Array((last.weights.length / 16) * 9);
  for (let plane = 0; plane < weights.length / 9; plane += 1) {
    const tap = (row: number, column: number): number => last.weights[plane * 16 + row * 4 + column]!;
    TAPS.forEach((rows, y) =>
      TAPS.forEach((columns, x) => {
        const sum = rows.flatMap((row) => columns.map((column) => tap(row, column))).reduce((a, b) => a + b, 0);
        weights[plane * 9 + y * 3 + x] = sum / 4;
      }),
    );
  }
  return [...layers.slice(0, -1), { ...last, kind: 'convolution', kernel: 3, stride: 1, pad: 0, weights }];
}

const TAPS = [[3], [1, 2], [0]];
