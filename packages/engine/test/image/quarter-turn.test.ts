import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import { quarterTurned, type QuarterTurns } from '../../src/image/quarter-turn.ts';

const [width, height, channels] = [5, 3, 3] as const;
const picture: Picture = {
  data: Uint8Array.from({ length: width * height * channels }, (_, k) => 5 * k),
  width,
  height,
  channels,
  space: 'rgb',
  hasAlpha: false,
};

test.each([0, 1, 2, 3] as const)(
  'a picture turned by %d quarters is that of libvips, and turns back',
  async (turns) => {
    const turned = quarterTurned(picture, turns);
    const { data, info } = await sharp(picture.data as Uint8Array, { raw: { width, height, channels } })
      .rotate(90 * turns)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([turned.width, turned.height, [...turned.data]]).toEqual([info.width, info.height, [...data]]);
    expect(quarterTurned(turned, ((4 - turns) % 4) as QuarterTurns)).toEqual(picture);
  },
);

test('samples of 16 bits stay so', () => {
  const wide = { ...picture, data: Uint16Array.from(picture.data, (sample) => 256 * sample) };
  expect(quarterTurned(wide, 1).data).toEqual(
    Uint16Array.from(quarterTurned(picture, 1).data, (sample) => 256 * sample),
  );
});
