import type { ConvolutionLayer } from '../../../src/engine/neural/ncnn-network.ts';
import { randomNumbers } from '../support/photograph.ts';

/** Planes of one size. */
export interface Planes {
  planes: Float64Array[];
  width: number;
  height: number;
}

/** A layer with random weights. */
export function randomLayer(
  shape: Pick<ConvolutionLayer, 'kind' | 'inputs' | 'outputs'>,
  seed: number,
): ConvolutionLayer {
  const random = randomNumbers(seed);
  const values = (length: number): Float32Array => Float32Array.from({ length }, () => random() - 0.5);
  const rest =
    shape.kind === 'convolution'
      ? { kernel: 3, stride: 1, pad: 0, slope: 0.1 }
      : { kernel: 4, stride: 2, pad: 3, slope: 1 };
  const weights = values(shape.inputs * shape.outputs * rest.kernel ** 2);
  return { ...shape, ...rest, weights, bias: values(shape.outputs) };
}

/** Runs layers as their definition says: slow, and plain to see. */
export function runLayers(layers: readonly ConvolutionLayer[], given: Planes): Planes {
  return layers.reduce((from, layer) => (layer.kind === 'convolution' ? convolve : deconvolve)(layer, from), given);
}

function convolve({ inputs, outputs, kernel, weights, bias, slope }: ConvolutionLayer, from: Planes): Planes {
  const [width, height] = [from.width - kernel + 1, from.height - kernel + 1];
  const planes = Array.from({ length: outputs }, (_, o) => {
    const plane = new Float64Array(width * height).fill(bias[o]!);
    for (let i = 0; i < inputs; i += 1)
      each(kernel, (ky, kx) => {
        const weight = weights[((o * inputs + i) * kernel + ky) * kernel + kx]!;
        for (let y = 0; y < height; y += 1)
          for (let x = 0; x < width; x += 1)
            plane[y * width + x]! += weight * from.planes[i]![(y + ky) * from.width + x + kx]!;
      });
    return plane.map((value) => (value < 0 ? value * slope : value));
  });
  return { planes, width, height };
}

function deconvolve({ inputs, outputs, kernel, stride, pad, weights, bias }: ConvolutionLayer, from: Planes): Planes {
  const size = (side: number): number => (side - 1) * stride - 2 * pad + kernel;
  const [width, height] = [size(from.width), size(from.height)];
  const planes = Array.from({ length: outputs }, (_, o) => {
    const plane = new Float64Array(width * height).fill(bias[o]!);
    for (let i = 0; i < inputs; i += 1)
      each(kernel, (ky, kx) => {
        const weight = weights[((o * inputs + i) * kernel + ky) * kernel + kx]!;
        for (let y = 0; y < from.height; y += 1)
          for (let x = 0; x < from.width; x += 1) {
            const [toX, toY] = [x * stride + kx - pad, y * stride + ky - pad];
            if (toX < 0 || toY < 0 || toX >= width || toY >= height) continue;
            plane[toY * width + toX]! += weight * from.planes[i]![y * from.width + x]!;
          }
      });
    return plane;
  });
  return { planes, width, height };
}

function each(kernel: number, use: (y: number, x: number) => void): void {
  for (let y = 0; y < kernel; y += 1) for (let x = 0; x < kernel; x += 1) use(y, x);
}
