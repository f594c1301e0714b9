import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { readNcnnNetwork } from '../../../src/engine/neural/ncnn-network.ts';
import type { ConvolutionLayer } from '../../../src/engine/neural/ncnn-network.ts';
import { convolutionsToOnnx } from '../../../src/engine/neural/ncnn-to-onnx.ts';
import { loadNetwork } from '../../../src/engine/neural/network.ts';
import { encodeMessage } from '../../../src/engine/neural/protobuf.ts';
import { scratchFolder } from '../support/files.ts';
import { randomNumbers } from '../support/photograph.ts';
import { randomLayer, runLayers } from './convolution.ts';
import type { Planes } from './convolution.ts';

const scratch = await scratchFolder();

/** As the networks that are fetched: plain convolutions, then a deconvolution that doubles. */
const layers: ConvolutionLayer[] = [
  randomLayer({ kind: 'convolution', inputs: 3, outputs: 5 }, 1),
  randomLayer({ kind: 'convolution', inputs: 5, outputs: 4 }, 2),
  randomLayer({ kind: 'deconvolution', inputs: 4, outputs: 3 }, 3),
];

function randomPlanes(width: number, height: number): Planes {
  const random = randomNumbers(9);
  return {
    planes: Array.from({ length: 3 }, () => Float64Array.from({ length: width * height }, random)),
    width,
    height,
  };
}

async function runOnnx(network: readonly ConvolutionLayer[], { planes, width, height }: Planes, name: string) {
  const path = scratch(`${name}.onnx`);
  await writeFile(path, convolutionsToOnnx(name, network));
  const samples = Float32Array.from(planes.flatMap((plane) => [...plane]));
  return (await loadNetwork(path, 1)).run(samples, width, height);
}

function worstDifference(samples: Float32Array, { planes }: Planes): number {
  const expected = planes.flatMap((plane) => [...plane]);
  expect(samples).toHaveLength(expected.length);
  return Math.max(...expected.map((value, i) => Math.abs(value - samples[i]!)));
}

/** The two files of ncnn. */
function ncnnFiles(network: readonly ConvolutionLayer[], { half = false } = {}): { param: string; weights: Buffer } {
  const lines = network.map(({ kind, inputs, outputs, kernel, stride, pad, slope }, i) => {
    const type = kind === 'convolution' ? 'Convolution' : 'Deconvolution';
    const count = inputs * outputs * kernel * kernel;
    const activation = slope === 1 ? '' : ` 9=2 -23310=1,${slope}`;
    return `${type} l${i} 1 1 b${i} b${i + 1} 0=${outputs} 1=${kernel} 3=${stride} 4=${pad} 5=1 6=${count}${activation}`;
  });
  const parts = network.flatMap(({ weights, bias }) => {
    const stored = half ? Buffer.alloc(Math.ceil(weights.length / 2) * 4) : Buffer.alloc(weights.length * 4);
    // Of 16 bits there is only 1, which is 0x3c00.
    weights.forEach((value, i) => (half ? stored.writeUInt16LE(0x3c00, i * 2) : stored.writeFloatLE(value, i * 4)));
    const biases = Buffer.alloc(bias.length * 4);
    bias.forEach((value, i) => biases.writeFloatLE(value, i * 4));
    const flag = Buffer.alloc(4);
    flag.writeUInt32LE(half ? 0x01306b47 : 0);
    return [flag, stored, biases];
  });
  const count = network.length + 1;
  const param = ['7767517', `${count} ${count}`, 'Input in 0 1 b0 0=9 1=9 2=3', ...lines].join('\n');
  return { param: `${param}\n`, weights: Buffer.concat(parts) };
}

describe('a network of ncnn', () => {
  test('is read with its weights, biases and slopes', () => {
    const { param, weights } = ncnnFiles(layers);
    expect(readNcnnNetwork(param, weights)).toEqual(layers);
  });

  test('may have its weights in 16 bits', () => {
    const { param, weights } = ncnnFiles(layers, { half: true });
    const read = readNcnnNetwork(param, weights);
    expect(read.map(({ bias }) => bias)).toEqual(layers.map(({ bias }) => bias));
    expect(read.every((layer) => layer.weights.every((value) => value === 1))).toBe(true);
  });

  test.each([
    ['another kind of file', (param: string) => param.replace('7767517', '1')],
    ['a layer that is none of ours', (param: string) => param.replace('Deconvolution', 'Pooling')],
    ['layers that do not fit', (param: string) => param.replace('0=5', '0=6')],
    ['an unknown activation', (param: string) => param.replace('9=2', '9=3')],
    ['a layer less than weights', (param: string) => param.trim().split('\n').slice(0, -1).join('\n')],
  ])('is refused when it is %s', (_, change) => {
    const { param, weights } = ncnnFiles(layers);
    expect(() => readNcnnNetwork(change(param), weights)).toThrow(Error);
  });

  test('gives the same results in ONNX as by its definition', async () => {
    const planes = randomPlanes(14, 11);
    const { samples, width } = await runOnnx(layers, planes, 'doubling');
    expect(width).toBe((14 - 6) * 2);
    expect(worstDifference(samples, runLayers(layers, planes))).toBeLessThan(1e-4);
  });
});

test('a message is encoded as the specification of Protocol Buffers says', () => {
  // The examples of its documentation: field 1 = 150, field 2 = "testing", field 3 = a message.
  const inner = encodeMessage([[1, 150]]);
  expect([...inner]).toEqual([0x08, 0x96, 0x01]);
  expect(Buffer.from(encodeMessage([[2, 'testing']])).toString('latin1')).toBe('\x12\x07testing');
  expect([...encodeMessage([[3, inner]])]).toEqual([0x1a, 0x03, 0x08, 0x96, 0x01]);
  expect([...encodeMessage([[1, { float: 1 }]])]).toEqual([0x0d, 0, 0, 0x80, 0x3f]);
});
