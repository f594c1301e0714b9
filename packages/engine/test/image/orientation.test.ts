import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { findOrientation } from '../../src/image/orientation/find-orientation.ts';
import type { Picture } from '../../src/image/picture.ts';
import { quarterTurned } from '../../src/image/quarter-turn.ts';

const LINES = [
  'The harbour was quiet before dawn, and nobody had seen the ferry leave.',
  'Twelve passengers kept their luggage beside the door, as the rules ask.',
  'A letter from the bank explained why every payment had been delayed.',
  'Please return the signed form together with a copy of your passport.',
  'Grey clouds gathered above the valley while the children walked home.',
  'Our next meeting takes place on Thursday, 14 March, at half past nine.',
];

/** A page of print at about 100 DPI, at a size of letters, pixels. */
async function printed(lines: readonly string[], size = 17): Promise<Picture> {
  const [width, height] = [760, 80 + 30 * lines.length];
  const text = lines.map((line, row) => `<text x="40" y="${60 + 30 * row}">${line}</text>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#f4f1e8"/><g font-size="${size}" font-family="DejaVu Serif, DejaVu Sans, Noto Sans, serif" fill="#222">${text}</g></svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { data: new Uint8Array(data), width, height, channels: 3, space: 'rgb', hasAlpha: false };
}

let page: Picture;
beforeAll(async () => {
  page = await printed(LINES);
});

describe('the direction of a page', () => {
  test.each([0, 1, 2, 3] as const)('is found after %d quarter turns', (turns) => {
    expect(findOrientation(quarterTurned(page, turns))).toBe((4 - turns) % 4);
  });

  test('is found on pages of one channel, of 16 bits and of capitals', async () => {
    const lying = quarterTurned(page, 2);
    const grey = lying.data.filter((_, at) => at % 3 === 0);
    expect(findOrientation({ ...lying, data: new Uint8Array(grey), channels: 1, space: 'grey' })).toBe(2);
    expect(findOrientation({ ...lying, data: Uint16Array.from(lying.data, (level) => 257 * level) })).toBe(2);
    const capitals = await printed(
      LINES.map((line) => line.toUpperCase()),
      15,
    );
    expect(findOrientation(quarterTurned(capitals, 3))).toBe(1);
  });

  test('is unknown on pages whose marks look the same from two sides, and on those with hardly any letter', async () => {
    const symmetric = await printed(
      Array.from({ length: 8 }, () => 'o x | o | x o o x | x o | o x o o x | o x x o'),
      22,
    );
    expect(findOrientation(quarterTurned(symmetric, 2))).toBeUndefined();
    expect(findOrientation(quarterTurned(await printed(['Total']), 2))).toBeUndefined();
    let state = 1;
    const noise = page.data.map(() => ((state = (state * 48_271) % 2_147_483_647) & 64 ? 20 : 240));
    expect(findOrientation({ ...page, data: new Uint8Array(noise) })).toBeUndefined();
  });

  test('is unknown in inks', () => {
    expect(findOrientation({ ...page, channels: 3, space: 'other' })).toBeUndefined();
  });
});
