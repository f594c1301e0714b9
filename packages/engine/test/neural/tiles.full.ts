import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import {
  detailNetwork,
  doublingNetwork,
  repairingNetwork,
  restoringNetwork,
  type NamedNetwork,
} from '../../src/neural/networks.ts';
import { runTiled } from '../../src/neural/tiles.ts';
import { testModels } from '../../../../test/support/models.ts';
import { flat } from '../support/files.ts';
import { sameSamples } from '../support/measure.ts';
import { syntheticPhotograph } from '../support/photograph.ts';

const photograph = syntheticPhotograph(101, 75);
const networks = new Map<string, NamedNetwork>();

beforeAll(async () => {
  const models = await testModels();
  networks.set('fine', await doublingNetwork(models, 'fine', 1));
  networks.set('fast', await doublingNetwork(models, 'fast', 'none'));
  networks.set('repairing', await repairingNetwork(models));
  networks.set('restore', await restoringNetwork(models));
  networks.set('detail', await detailNetwork(models, 4));
  networks.set('detail, halved', await detailNetwork(models, 2));
});

/** The same pictures as Uint16Array: 65535 is 255 times 257. */
const deep = (picture: Picture): Picture => ({ ...picture, data: Uint16Array.from(picture.data, (v) => v * 257) });

function grey({ data, width, height }: Picture): Picture {
  return {
    data: Uint8Array.from({ length: width * height }, (_, i) => data[i * 3 + 1]!),
    ...{ width, height, channels: 1, space: 'grey', hasAlpha: false },
  };
}

function worstDifference(a: Picture, b: Picture): number {
  let worst = 0;
  for (let i = 0; i < a.data.length; i += 1) worst = Math.max(worst, Math.abs(a.data[i]! - b.data[i]!));
  return worst;
}

describe.each(['fine', 'fast', 'repairing', 'restore', 'detail', 'detail, halved'])('the network %s', (name) => {
  test('gives the same image in tiles as in one, to within rounding', async () => {
    const network = networks.get(name)!;
    const whole = await runTiled(photograph, { ...network, tile: 512 });
    const tiled = await runTiled(photograph, { ...network, tile: 32 });
    expect([whole.width, whole.height]).toEqual([101 * network.scale, 75 * network.scale]);
    expect(worstDifference(whole, tiled)).toBeLessThanOrEqual(1);
    expect(sameSamples(await runTiled(photograph, { ...network, tile: 32 }), tiled)).toBe(true);
  });

  test('keeps 16 bits and reports its progress', async () => {
    const parts: number[] = [];
    const network = networks.get(name)!;
    const result = await runTiled(deep(photograph), { ...network, tile: 64 }, (part) => parts.push(part));
    const shallow = await runTiled(photograph, network);
    expect(new Set(Array.from(result.data, (value) => value % 257)).size).toBeGreaterThan(200);
    expect(worstDifference(result, deep(shallow))).toBeLessThanOrEqual(257);
    expect(parts).toHaveLength(4);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
    expect(parts.at(-1)).toBe(1);
  });

  test('returns grey as grey, and accepts images of any size', async () => {
    const network = networks.get(name)!;
    const result = await runTiled(grey(photograph), network);
    expect([result.channels, result.data.length]).toEqual([1, 101 * 75 * network.scale ** 2]);
    const one = await runTiled({ ...grey(photograph), data: Uint8Array.of(120), width: 1, height: 1 }, network);
    expect(one.data).toHaveLength(network.scale ** 2);
    for (const value of one.data) expect(Math.abs(value - 120)).toBeLessThan(12);
  });
});

test('the network of DETAIL gets a picture of 6 megapixels tile by tile, one at a time', async () => {
  const { margin, tile, alignment } = networks.get('detail')!;
  const windows: number[] = [];
  let running = 0;
  const run: NamedNetwork['run'] = async (samples, width, height) => {
    windows.push(width * height);
    running += 1;
    await setImmediate();
    expect(running).toBe(1);
    running -= 1;
    return { samples, width };
  };
  const picture: Picture = { ...flat(3000, 2000, [10, 20, 30]) };
  const result = await runTiled(picture, { ...networks.get('detail')!, scale: 1, run });
  expect(sameSamples(result, picture)).toBe(true);
  expect(windows).toHaveLength(Math.ceil(3000 / tile) * Math.ceil(2000 / tile));
  expect(Math.max(...windows)).toBeLessThanOrEqual((tile + 2 * margin + alignment) ** 2);
  expect(tile).toBeLessThanOrEqual(256);
});
