import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { enhancePixels, MAX_NETWORK_PIXELS } from '../../src/image/enhance-pixels.ts';
import { resample } from '../../src/image/filters/resample.ts';
import type { Picture } from '../../src/image/picture.ts';
import { showsNetwork } from '../../src/image/steps/network-gain.ts';
import { findModels } from '../../src/neural/find-models.ts';
import { doublingNetwork } from '../../src/neural/networks.ts';

const models = await findModels('fast', () => undefined);
const network = await doublingNetwork(models, 'fast', 'none');
const sample = fileURLToPath(new URL('../fixtures/lake.jpg', import.meta.url));

async function photographOf(width: number, height: number): Promise<Picture> {
  const data = await sharp(sample).resize(width, height, { fit: 'fill' }).raw().toBuffer();
  return { data: new Uint8Array(data), width, height, channels: 3, space: 'rgb', hasAlpha: false };
}

const copyOf = (picture: Picture): Picture => ({ ...picture, data: picture.data.slice() });

/** A picture without fine detail, as a camera gives it at the limit of its lens. */
const blurred = (picture: Picture): Picture =>
  resample(resample(picture, picture.width / 8, picture.height / 8), picture.width, picture.height);

test('a network shows in a picture with fine detail, and not in one without', async () => {
  const fine = await photographOf(800, 640);
  expect(await showsNetwork(fine, network)).toBe(true);
  expect(await showsNetwork(blurred(fine), network)).toBe(false);
});

test('an image of a PDF without fine detail is interpolated, and a large result is too', async () => {
  const soft = blurred(await photographOf(800, 640));
  const { picture } = await enhancePixels(copyOf(soft), { width: 1600, height: 1280, mode: 'OFF', models });
  expect(Buffer.from(picture.data).equals(Buffer.from(resample(soft, 1600, 1280).data))).toBe(true);

  const fine = await photographOf(200, 160);
  const plain = (width: number, height: number) => Buffer.from(resample(fine, width, height).data);
  const made = async (width: number, height: number) =>
    Buffer.from((await enhancePixels(copyOf(fine), { width, height, mode: 'OFF', models })).picture.data);
  expect((await made(400, 320)).equals(plain(400, 320))).toBe(false);
  const [width, height] = [6000, Math.ceil((MAX_NETWORK_PIXELS + 1) / 6000)];
  expect((await made(width, height)).equals(plain(width, height))).toBe(true);
});

test('even areas of a drawing keep their exact colours', async () => {
  const [width, height] = [120, 80];
  const [ground, ink] = [
    [23, 120, 61],
    [244, 211, 9],
  ];
  const data = new Uint8Array(width * height * 3);
  const isInk = (x: number, y: number): boolean => (x - 60) ** 2 + (y - 40) ** 2 < 900;
  for (let i = 0; i < width * height; i += 1) data.set(isInk(i % width, Math.floor(i / width)) ? ink : ground, i * 3);
  const drawing: Picture = { data, width, height, channels: 3, space: 'rgb', hasAlpha: false };
  const { picture } = await enhancePixels(drawing, { width: 2 * width, height: 2 * height, mode: 'OFF', models });
  const others = new Set<string>();
  for (let y = 4; y < 2 * height - 4; y += 1)
    for (let x = 4; x < 2 * width - 4; x += 1) {
      const distance = Math.abs(Math.hypot(x / 2 - 60, y / 2 - 40) - 30);
      const colour = picture.data.subarray((y * 2 * width + x) * 3, (y * 2 * width + x) * 3 + 3).join();
      if (distance > 4 && ![ground, ink].map(String).includes(colour)) others.add(colour);
    }
  expect([...others]).toEqual([]);
});
