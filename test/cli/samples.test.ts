import { readFile } from 'node:fs/promises';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { FILE_SIZE_BYTES } from '../../src/domain/upload/media.ts';

interface Size {
  width: number;
  height: number;
}
interface Scene {
  film: object;
}
/** What the scripts, which are plain JavaScript, give. */
interface Scripts {
  renderScene(scene: Scene, options: Size & { samples: number }): Float32Array;
  takePhotograph(light: Float32Array, size: Size, camera: object): Buffer;
  SCENES: { photo: Scene };
  createBrochure(photographs: Record<'shore' | 'valley' | 'boulders', Buffer>): Promise<Uint8Array>;
}
const script = async (name: string): Promise<Scripts> =>
  (await import(new URL(`../../scripts/samples/${name}.mjs`, import.meta.url).href)) as Scripts;
const sample = (name: string) => readFile(new URL(`../../samples/${name}`, import.meta.url));

test('the sample photograph is the reduced output of its generator', async () => {
  const [{ renderScene }, { takePhotograph }, { SCENES }] = await Promise.all([
    script('render'),
    script('camera'),
    script('scenes'),
  ]);
  const { photo } = SCENES;
  const size = { width: 64, height: 43 };
  const rendered = takePhotograph(renderScene(photo, { ...size, samples: 2 }), size, {
    seed: 1,
    ...photo.film,
    noise: 0,
  });
  const committed = await sharp(await sample('photo.jpg'))
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer();
  const error = rendered.reduce((sum, value, n) => sum + Math.abs(value - committed[n]!), 0) / rendered.length;
  // Fine things such as trees fall on other samples, which makes 8.4; turning the camera by 3 degrees makes 15.
  expect(error).toBeLessThan(11);
});

test('the sample document is made from its photographs, byte for byte, with text and without dates', async () => {
  const { createBrochure } = await script('brochure');
  const committed = await sample('document.pdf');
  const photograph = await sample('photo.jpg');
  const remade = async (): Promise<Uint8Array> =>
    createBrochure({ shore: photograph, valley: photograph, boulders: photograph });
  expect(Buffer.from(await remade()).equals(Buffer.from(await remade()))).toBe(true);
  expect(committed.includes('/CreationDate')).toBe(false);
  expect(committed.toString('latin1').match(/\/DCTDecode/g)).toHaveLength(3);
  expect((await PDFDocument.load(committed)).getPageCount()).toBe(2);
});

test('both samples have an accepted size', async () => {
  const [photo, document] = await Promise.all([sample('photo.jpg'), sample('document.pdf')]);
  expect(photo.length).toBeGreaterThan(FILE_SIZE_BYTES.image.min);
  expect(photo.length).toBeLessThan(150_000);
  expect(document.length).toBeGreaterThan(FILE_SIZE_BYTES.pdf.min);
  expect(document.length).toBeLessThan(400_000);
});
