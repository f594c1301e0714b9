import { expect, it } from '@jest/globals';
import sharp from 'sharp';
import { comparedWith } from '../../bench/document/compare-pages.ts';
import type { Rgb } from '../../bench/quality/metrics.ts';

const [WIDTH, HEIGHT] = [640, 880];

/** Lines of letters with a coloured stamp; the lines have different lengths and letters. */
async function draw({ paper = 'white', stamp = 'rgb(40,60,200)', lines = 30, transform = '' } = {}): Promise<Rgb> {
  const letters = Array.from({ length: lines }, (_, line) =>
    Array.from({ length: 20 + ((line * 7) % 13) }, (__, k) => {
      const [x, y] = [60 + 15 * k + ((k * 5 + line * 3) % 7), 60 + 22 * line];
      return `<rect x="${x}" y="${y}" width="${3 + ((k + line) % 6)}" height="${8 + ((k * line) % 4)}"/>`;
    }).join(''),
  ).join('');
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="${paper}"/>` +
    `<g transform="${transform}" fill="black">${letters}<rect x="380" y="760" width="150" height="60" fill="${stamp}"/></g></svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { data: new Uint8Array(data), width: WIDTH, height: HEIGHT };
}

it('finds the ink, the colours and the paper of a page that is turned and moved', async () => {
  const cleaned = await draw({ transform: `translate(22 -15) rotate(-2.4 ${WIDTH / 2} ${HEIGHT / 2})` });
  const kept = comparedWith(await draw({ paper: 'rgb(235,225,200)' }))(cleaned);
  expect(kept.white).toBeGreaterThan(0.97);
  expect(kept.ink).toBeGreaterThan(0.97);
  expect(kept.colours).toBeGreaterThan(0.97);
});

it('counts ink that is gone, colours that are grey and paper that keeps its tint', async () => {
  const page = await draw({ paper: 'rgb(235,225,200)' });
  const compare = comparedWith(page);
  expect(compare(page)).toMatchObject({ white: 0, ink: 1, colours: 1 });
  const spoiled = compare(await draw({ stamp: 'rgb(90,90,90)', lines: 20 }));
  expect(spoiled.ink).toBeLessThan(0.75);
  expect(spoiled.colours).toBeLessThan(0.05);
});
