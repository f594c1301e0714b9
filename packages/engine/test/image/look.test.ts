import { expect, test } from '@jest/globals';
import type { BuiltLook, LookValues } from '@burnish/contract/engine';
import { fitLook } from '../../src/image/look/fit-look.ts';
import type { FinishedPicture } from '../../src/image/look/look-trials.ts';
import type { Picture } from '../../src/image/picture.ts';
import { improveTone } from '../../src/image/steps/tone.ts';
import { toneSquare } from '../../src/image/steps/tone-square.ts';
import { toneThumbnail } from '../../src/image/steps/tone-thumbnail.ts';
import { toned, tonedPhotographs, type Taste } from '../support/toned-photographs.ts';

const WARM: Taste = { warm: 1 };

const seen = (picture: Picture): FinishedPicture => ({ square: toneSquare(toneThumbnail(picture)), night: 0 });
const lookOf = (pictures: readonly Picture[], originals?: readonly Picture[]): BuiltLook =>
  fitLook(
    pictures.map((picture, index) => ({ ...seen(picture), ...(originals && { original: seen(originals[index]!) }) })),
    1,
  );

/** Mean stops of red over blue. */
function warmth({ data }: Picture): number {
  let [red, blue] = [0, 0];
  for (let i = 0; i < data.length; i += 3) [red, blue] = [red + data[i]!, blue + data[i + 2]!];
  return Math.log2(red / blue);
}

/** The picture after ENHANCE, with a look. */
async function after(picture: Picture, own?: LookValues): Promise<Picture> {
  const copy = { ...picture, data: picture.data.slice() };
  await improveTone(copy, 'ENHANCE', { own });
  return copy;
}

/** Mean difference of two pictures, levels. */
function change({ data: one }: Picture, { data: two }: Picture): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += Math.abs(one[i]! - two[i]!);
  return sum / one.length;
}

const pictures = tonedPhotographs(17, () => ({}));
const warm = pictures.map((picture) => toned(picture, WARM));
const look = lookOf(warm.slice(0, 16));

test('a look of sixteen warm pictures proves itself, and moves a seventeenth toward them', async () => {
  expect(look.refused).toBeNull();
  expect(look.proof).toMatchObject({ pictures: 16, pairs: 0 });
  expect(look.proof.gain).toBeGreaterThan(0.3);
  const plain = pictures[16]!;
  const own = await after(plain, look.values);
  const usual = await after(plain);
  expect(warmth(own)).toBeGreaterThan(warmth(usual) + 0.1);
  expect(change(own, warm[16]!)).toBeLessThan(change(usual, warm[16]!));
});

test('a finished picture hardly changes, and a second pass hardly changes anything', async () => {
  const [finished] = warm as [Picture];
  expect(change(finished, await after(finished, look.values))).toBeLessThan(
    change(finished, await after(finished)) + 1,
  );
  const once = await after(pictures[16]!, look.values);
  expect(change(once, await after(once, look.values))).toBeLessThan(3);
});

test('with their originals, sixteen pictures prove the same taste', () => {
  const paired = lookOf(warm.slice(0, 16), pictures.slice(0, 16));
  expect(paired).toMatchObject({ refused: null, proof: { pairs: 16 } });
});

test('pictures without a taste of their own make no look', () => {
  expect(lookOf(pictures.slice(0, 16), pictures.slice(0, 16)).refused).not.toBeNull();
  const anyhow = tonedPhotographs(16, (index) => ({ warm: index % 2 === 0 ? 1.4 : -1.4, stops: (index % 3) - 1 }));
  const { refused, proof } = lookOf(anyhow, pictures.slice(0, 16));
  expect(refused).not.toBeNull();
  expect(proof.look).toBeGreaterThan(0);
});

test('a look changes no object on white more than ENHANCE does', async () => {
  const [scene] = pictures as [Picture];
  const { width, height } = scene;
  const onWhite = {
    ...scene,
    data: scene.data.map((value: number, i: number) => {
      const [x, y] = [
        ((Math.floor(i / 3) % width) / width - 0.5) / 0.32,
        (Math.floor(i / 3 / width) / height - 0.5) / 0.36,
      ];
      return x * x + y * y < 1 ? value : 255;
    }) as Uint8Array,
  };
  expect(change(onWhite, await after(onWhite, look.values))).toBeLessThan(change(onWhite, await after(onWhite)) + 0.5);
});

test('a grey picture stays grey with a warm look', async () => {
  const [scene] = pictures as [Picture];
  const grey = { ...scene, data: scene.data.map((_: number, i: number) => scene.data[i - (i % 3) + 1]!) as Uint8Array };
  const { data } = await after(grey, look.values);
  for (let i = 0; i < data.length; i += 300) expect([data[i], data[i + 2]]).toEqual([data[i + 1], data[i + 1]]);
});

test('the fit of sixteen pictures is the same each time', () => {
  expect(lookOf(warm.slice(0, 16))).toEqual(look);
});
