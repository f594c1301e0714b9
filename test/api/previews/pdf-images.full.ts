import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { resolvePdfParameters, type Upload } from '@burnish/contract';
import { pdfWithPhoto, picture } from '../../e2e/files.ts';
import { factsKey } from '../../../src/domain/files/object-keys.ts';
import { analyzePdf } from '../../../packages/engine/src/pdf/enhance/enhance.ts';
import { enhanceBytes } from '../../../packages/engine/test/pdf/support.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { resultOf, uploadOf } from './stored-files.ts';
import { pdf } from '../support/files.ts';

const gateway = useGateway();

const shown = async (response: TestResponse) => sharp(Buffer.from(await response.arrayBuffer())).metadata();

/** A PDF, and what an enhancement makes of it. */
async function enhancedPdf() {
  await using folder = await temporaryFolder();
  const before = await pdfWithPhoto();
  const parameters = resolvePdfParameters({ targetResolution: 160 }, 1200);
  const { outputPath } = await enhanceBytes(before, join(folder.path, 'file'), parameters);
  return { before, after: await readFile(outputPath) };
}

/** Stores the facts of the analysis beside the original. */
async function analyzed({ objectKey }: Upload, bytes: Buffer): Promise<void> {
  await using folder = await temporaryFolder();
  const [inputPath, factsPath] = [join(folder.path, 'file.pdf'), join(folder.path, 'facts')];
  await writeFile(inputPath, bytes);
  await analyzePdf({ inputPath, factsPath });
  await gateway.storage.putFile(factsKey(objectKey!), factsPath);
}

describe('the images of a PDF', () => {
  test('are listed with their pages, and shown before and after', async () => {
    const { before, after } = await enhancedPdf();
    const upload = await uploadOf(gateway, before, 'application/pdf');
    await analyzed(upload, before);
    const list = await (await gateway.fetch(`/v1/uploads/${upload.id}/pdf-images`)).json();
    const image = { number: 5, page: 1, pages: 1, width: 480, height: 360, resolution: 80 };
    expect(list).toEqual({
      items: [{ ...image, kind: 'PHOTOGRAPH', kindReason: 'natural' }],
      next: null,
      total: 1,
    });
    const { id } = await resultOf(gateway, upload, after, 'application/pdf');
    const enhanced = await (await gateway.fetch(`/v1/enhancements/${id}/pdf-images`)).json();
    expect(enhanced).toEqual({
      items: [{ ...image, enhanced: { width: 960, height: 720 }, maskOnly: false }],
      next: null,
      total: 1,
    });
    const see = async (path: string) => shown(await gateway.fetch(`${path}/pdf-images/5/preview?width=full`));
    expect(await see(`/v1/uploads/${upload.id}`)).toMatchObject({ format: 'webp', width: 480 });
    expect(await see(`/v1/enhancements/${id}`)).toMatchObject({ format: 'webp', width: 960 });
  });

  test('represent it: the preview of a PDF is the largest image of its first page, before and after', async () => {
    const { before, after } = await enhancedPdf();
    const upload = await uploadOf(gateway, before, 'application/pdf');
    const { id } = await resultOf(gateway, upload, after, 'application/pdf');
    const see = async (path: string) => shown(await gateway.fetch(`${path}/preview?width=full`));
    expect(await see(`/v1/uploads/${upload.id}`)).toMatchObject({ format: 'webp', width: 480 });
    expect(await see(`/v1/enhancements/${id}`)).toMatchObject({ format: 'webp', width: 960 });
    // What the enhancement changed is still told apart from what is in its result.
    const enhanced = await (await gateway.fetch(`/v1/enhancements/${id}/pdf-images`)).json();
    expect(enhanced.items).toMatchObject([{ enhanced: { width: 960 } }]);

    const many = await uploadOf(gateway, await manyImages(3, { largest: 11 }), 'application/pdf');
    expect(await see(`/v1/uploads/${many.id}`)).toMatchObject({ width: 64 });
    const none = await uploadOf(gateway, await manyImages(0), 'application/pdf');
    const refused = await gateway.fetch(`/v1/uploads/${none.id}/preview`);
    expect(await refused.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('are paged', async () => {
    const upload = await uploadOf(gateway, await manyImages(5), 'application/pdf');
    const seen: number[] = [];
    let after: string | null = '';
    while (after !== null) {
      const query: string = after === '' ? '' : `&after=${after}`;
      const body = await (await gateway.fetch(`/v1/uploads/${upload.id}/pdf-images?limit=2${query}`)).json();
      expect(body.total).toBe(5);
      seen.push(...body.items.map(({ number }: { number: number }) => number));
      after = body.next as string | null;
    }
    expect(seen).toEqual([10, 11, 12, 13, 14]);
  });

  test.each(['0', '6', '99', '10000000', 'x'])('do not include the number %s', async (number) => {
    const upload = await uploadOf(gateway, await pdfWithPhoto(), 'application/pdf');
    const response = await gateway.fetch(`/v1/uploads/${upload.id}/pdf-images/${number}/preview`);
    expect(response.status).toBe(404);
  });

  test('are an empty list for an image, and a broken PDF is refused with its code', async () => {
    const photo = await uploadOf(gateway, await picture(400, 300).jpeg().toBuffer(), 'image/jpeg');
    expect((await gateway.fetch(`/v1/uploads/${photo.id}/pdf-images`)).status).toBe(404);
    const broken = await uploadOf(gateway, pdf(), 'application/pdf');
    const response = await gateway.fetch(`/v1/uploads/${broken.id}/pdf-images`);
    expect(await response.json()).toMatchObject({ code: 'CORRUPT_FILE' });
  });
});

/** One page with so many small images, numbered from 10. */
async function manyImages(count: number, { largest }: { largest?: number } = {}): Promise<Buffer> {
  const { buildPdf, onePage } = await import('../../../packages/pdf/test/build-pdf.ts');
  const { flateImage, photograph } = await import('../../../packages/engine/test/pdf/pictures.ts');
  const numbers = Array.from({ length: count }, (_, index) => 10 + index);
  const objects = Object.fromEntries(
    numbers.map((number) => {
      const { dict, data } = flateImage(
        number === largest ? photograph(64, 48, 3, number) : photograph(32, 24, 3, number),
      );
      return [number, { dict: `/Type/XObject/Subtype/Image ${dict}`, data }];
    }),
  );
  const names = numbers.map((number) => `/I${number} ${number} 0 R`).join('');
  const content = numbers.map((number) => `q 50 0 0 40 0 ${number * 40} cm /I${number} Do Q`).join(' ');
  return buildPdf(onePage(content, `/XObject<<${names}>>`, objects));
}

describe('the pages of a PDF', () => {
  test('are listed with the areas of their images, and shown before and after', async () => {
    const { before, after } = await enhancedPdf();
    const upload = await uploadOf(gateway, before, 'application/pdf');
    const { id } = await resultOf(gateway, upload, after, 'application/pdf');
    const list = await (await gateway.fetch(`/v1/uploads/${upload.id}/pdf-pages`)).json();
    expect(list).toMatchObject({ items: [{ page: 1, images: [{ number: 5 }] }], next: null, total: 1 });
    expect(await (await gateway.fetch(`/v1/enhancements/${id}/pdf-pages`)).json()).toEqual(list);

    const see = async (path: string) => shown(await gateway.fetch(`${path}/pdf-pages/1/preview?width=960`));
    const [{ width, height }] = list.items;
    const sides = width > height ? { width: 960 } : { height: 960 };
    expect(await see(`/v1/uploads/${upload.id}`)).toMatchObject({ format: 'webp', ...sides });
    expect(await see(`/v1/enhancements/${id}`)).toMatchObject({ format: 'webp', ...sides });
  });

  test.each(['0', '2', '1000000', 'x'])('do not include the number %s', async (number) => {
    const upload = await uploadOf(gateway, await pdfWithPhoto(), 'application/pdf');
    const response = await gateway.fetch(`/v1/uploads/${upload.id}/pdf-pages/${number}/preview`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('are an empty list for an image', async () => {
    const upload = await uploadOf(gateway, await picture(40, 30).png().toBuffer(), 'image/png');
    for (const path of ['pdf-pages', 'pdf-pages/1/preview']) {
      const response = await gateway.fetch(`/v1/uploads/${upload.id}/${path}`);
      expect([response.status, (await response.json()).code]).toEqual([404, 'NOT_FOUND']);
    }
  });
});
