import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { priceOfPdf, flattenParameters, type ParametersRepresentation } from '@burnish/contract';
import { factsKey } from '../../../src/domain/files/object-keys.ts';
import { buildPdf, onePage } from '../../../packages/pdf/test/build-pdf.ts';
import { flateImage, photograph } from '../../../packages/engine/test/pdf/pictures.ts';
import { analyzeBytes, enhanceBytes, parametersOf } from '../../../packages/engine/test/pdf/support.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { uploadOf } from '../previews/stored-files.ts';
import { graphql } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';

const gateway = useGateway();

/** A page with images at 72, 200 and 280 pixels an inch. */
function threeImages(): Buffer {
  const image = (seed: number) => {
    const { dict, data } = flateImage(photograph(120, 90, 3, seed));
    return { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
  };
  const draw = (name: string, dpi: number, y: number): string =>
    `q ${(120 / dpi) * 72} 0 0 ${(90 / dpi) * 72} 20 ${y} cm /${name} Do Q`;
  const content = [draw('A', 72, 20), draw('B', 200, 200), draw('C', 280, 400)].join(' ');
  return buildPdf(
    onePage(content, '/XObject<</A 10 0 R/B 11 0 R/C 12 0 R>>', { 10: image(1), 11: image(2), 12: image(3) }),
  );
}

async function estimate(uploadId: string, parameters: object, key?: string) {
  const response = await gateway.fetch(`/v1/uploads/${uploadId}/estimate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ enhancements: [parameters] }),
    ...(key === undefined ? {} : { key }),
  });
  const answer = await response.json();
  if (!response.ok) return { status: response.status, body: answer };
  const { enhancements, ...sum } = answer;
  expect(enhancements).toMatchObject([sum]);
  return { status: response.status, body: enhancements[0] };
}

async function analysedPdf(bytes: Buffer, provider: object = {}) {
  await using folder = await temporaryFolder();
  const { analysis } = await analyzeBytes(bytes, join(folder.path, 'file'));
  return await uploadOf(gateway, bytes, 'application/pdf', {
    subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
    analysis,
    ...provider,
  });
}

describe('the estimate of an enhancement', () => {
  test.each<[ParametersRepresentation, number, number]>([
    [{}, 8, 9],
    [{ upscalingThreshold: 1 }, 12, 12],
    [{ targetResolution: 72 }, 0, 3],
    [{ targetResolution: 72, customColorConfig: { auto: false } }, 0, 0],
    [{ targetResolution: 600 }, 12, 12],
    [{ targetResolution: 72, pdf: { images: { 11: { color: false } } } }, 0, 2],
    [{ targetResolution: 72, pdf: { colorKinds: ['DRAWING', 'SCAN'] } }, 0, 0],
    [{ targetResolution: 72, pdf: { colorKinds: [], images: { 12: { color: true } } } }, 0, 1],
  ])('of a PDF with %j is %i to %i credits, and the engine charges no more', async (parameters, least, credits) => {
    await using folder = await temporaryFolder();
    const bytes = threeImages();
    const upload = await analysedPdf(bytes);
    const { status, body } = await estimate(upload.id, parameters);
    expect([status, body.minCredits, body.credits]).toEqual([200, least, credits]);
    const { work, outputPath } = await enhanceBytes(
      bytes,
      join(folder.path, 'file'),
      parametersOf(flattenParameters(parameters)),
    );
    expect(priceOfPdf(work)).toBeGreaterThanOrEqual(least);
    expect(priceOfPdf(work)).toBeLessThanOrEqual(credits);
    const { size } = await stat(outputPath);
    for (const bytes of [body.filesize, size]) {
      expect(bytes).toBeGreaterThanOrEqual(body.minFilesize);
      expect(bytes).toBeLessThanOrEqual(body.maxFilesize);
    }
    // Neither a workflow nor the ledger takes part.
    expect(gateway.temporal.updates).toEqual([]);
  });

  test('of chosen kinds and images is the same in GraphQL, and unfit choices are refused', async () => {
    const { id } = await analysedPdf(threeImages());
    const input = { targetResolution: 72, pdf: { colorKinds: ['DRAWING'], images: { 10: { color: true } } } };
    const query = `query ($id: ID!, $input: CreateEnhancedImageInput!) {
      enhancementEstimate(uploadId: $id, input: $input) { credits minCredits }
    }`;
    const answer = await graphql(gateway, query, { variables: { id, input } });
    expect(answer.data).toEqual({ enhancementEstimate: { credits: 1, minCredits: 0 } });
    const refused = [
      { images: { x: { color: true } } },
      { images: { 10: { colour: true } } },
      { colorKinds: ['LOGO'] },
    ].map((pdf) => ({ pdf }));
    for (const parameters of refused)
      expect(await estimate(id, parameters)).toMatchObject({ status: 400, body: { code: 'BAD_USER_INPUT' } });
  });

  test.each([
    [{}, 0, 1],
    [{ mode: 'OFF' }, 0, 0],
    [{ mode: 'OFF', enhanceFaceDetails: 'ENHANCE' }, 0, 1],
    [{ upscalingFactor: 'X2', maxCredits: 1 }, 4, 4],
  ])('of an image with %j is %i to %i credits', async (parameters, minCredits, credits) => {
    const { id } = await storedUpload(gateway);
    expect(await estimate(id, parameters)).toEqual({
      status: 200,
      body: {
        credits,
        minCredits,
        filesize: null,
        minFilesize: null,
        maxFilesize: null,
        width: null,
        height: null,
        masksOnly: 0,
        expectedImages: null,
        notes: [],
      },
    });
  });

  test.each([
    [{ targetWidth: 320 }, 0, 320, 213],
    [{ targetWidth: 320, targetHeight: 320 }, 0, 320, 213],
    [{ targetWidth: 320, targetHeight: 320, fit: 'COVER' }, 0, 320, 320],
    [{ targetHeight: 427 }, 4, 642, 427],
    [{ targetWidth: 2560, targetHeight: 1000, upscalingFactor: 'X1' }, 4, 1502, 1000],
    [{ targetWidthCm: 10 }, 4, 1181, 786],
    [{ targetWidthCm: 3, targetHeightCm: 4, fit: 'COVER' }, 4, 354, 472],
    [{ upscalingFactor: 'X2' }, 4, 1280, 852],
  ])(
    'of an image with %j is %i credits or more, and names the final size',
    async (parameters, least, width, height) => {
      const { id } = await storedUpload(gateway, { width: 640, height: 426 });
      const { status, body } = await estimate(id, { mode: 'OFF', ...parameters });
      expect([status, body.minCredits, body.credits, body.width, body.height]).toEqual([
        200,
        least,
        least,
        width,
        height,
      ]);
    },
  );

  test.each([
    [{ targetWidth: 2561 }, 'targetWidth', 'Choose at most 2560 × 1704 pixels.'],
    [{ targetWidth: 800, upscalingFactor: 'X2' }, 'targetWidth', 'Remove one of them.'],
    [{ targetWidth: 800, fidelity: 'STRICT' }, 'targetWidth', 'upscalingFactor X2 or X4'],
    [{ targetWidth: 800, fit: 'COVER' }, 'fit', 'Set both targetWidth and targetHeight'],
    [{ targetWidthCm: 22 }, 'targetWidthCm', 'Choose at most 21.6 × 14.4 cm at 300 DPI, or a lower targetDpi.'],
    [{ targetHeightCm: 0.1, targetDpi: 72 }, 'targetHeightCm', '3 pixels at 72 DPI. Choose a size and a targetDpi'],
    [{ targetWidthCm: 1000, targetDpi: 2400 }, 'targetWidthCm', '944,882 pixels at 2400 DPI'],
    [{ targetWidthCm: 10, targetHeight: 800 }, 'targetWidthCm', 'Use one unit for both sides.'],
    [{ targetWidthCm: 10, targetWidth: 800 }, 'targetWidthCm', 'Use one unit for both sides.'],
    [{ targetWidthCm: 10, upscalingFactor: 'X2' }, 'targetWidthCm', 'Remove one of them.'],
    [{ targetWidthCm: 10, fit: 'COVER' }, 'fit', 'or both in cm.'],
    [{ targetWidth: 800, targetDpi: 300 }, 'targetDpi', 'Set targetWidthCm or targetHeightCm.'],
    [{ fit: 'INSIDE' }, 'fit', 'Set targetWidth or targetHeight.'],
  ])('refuses %j and names the remedy', async (parameters, field, remedy) => {
    const { id } = await storedUpload(gateway, { width: 640, height: 426 });
    const { status, body } = await estimate(id, parameters);
    expect([status, body.code, body.field]).toEqual([400, 'BAD_USER_INPUT', `enhancements[0].${field}`]);
    expect(`${body.detail} ${body.remedy}`).toContain(remedy);
  });

  test('refuses a target size for a PDF, and for an image of the hosted service', async () => {
    const pdf = await analysedPdf(threeImages());
    const refusal = { status: 400, body: { code: 'BAD_USER_INPUT', field: 'enhancements[0].targetWidth' } };
    expect(await estimate(pdf.id, { targetWidth: 800 })).toMatchObject(refusal);
    const inCentimetres = { status: 400, body: { code: 'BAD_USER_INPUT', field: 'enhancements[0].targetWidthCm' } };
    expect(await estimate(pdf.id, { targetWidthCm: 10 })).toMatchObject(inCentimetres);
    const hosted = await storedUpload(gateway, { provider: 'hosted', width: 640, height: 426 });
    expect(await estimate(hosted.id, { targetWidth: 800 })).toMatchObject(refusal);
    expect(await estimate(hosted.id, { targetWidthCm: 10 })).toMatchObject(inCentimetres);
  });

  test('of a PDF with mode DOCUMENT, and refuses every other mode, and colours beside it', async () => {
    const { id } = await analysedPdf(threeImages());
    expect(await estimate(id, { mode: 'DOCUMENT' })).toMatchObject({
      status: 200,
      body: { minCredits: 0, credits: 0 },
    });
    const chosen = { mode: 'DOCUMENT', pdf: { images: { 10: { color: true } } } };
    expect(await estimate(id, chosen)).toMatchObject({ status: 200, body: { minCredits: 0, credits: 1 } });
    for (const mode of ['ENHANCE', 'NATURAL', 'VIVID', 'OFF']) {
      const detail = `Value ${mode} of field mode applies to images only, but the file is a PDF.`;
      const body = { code: 'BAD_USER_INPUT', field: 'enhancements[0].mode', detail };
      expect(await estimate(id, { mode })).toMatchObject({ status: 400, body });
    }
    for (const [field, colors] of [
      ['customColorConfig', { customColorConfig: { brightness: 0.1 } }],
      ['pdf.colorKinds', { pdf: { colorKinds: ['SCAN'] } }],
    ] as const)
      expect(await estimate(id, { mode: 'DOCUMENT', ...colors })).toMatchObject({
        status: 400,
        body: { code: 'BAD_USER_INPUT', field: `enhancements[0].${field}` },
      });
  });

  test('refuses mode DOCUMENT for the hosted service, for images and PDFs', async () => {
    const order = { mode: 'DOCUMENT' };
    const refusal = { status: 400, body: { code: 'BAD_USER_INPUT', field: 'enhancements[0].mode' } };
    const pdf = await analysedPdf(threeImages(), { provider: 'hosted' });
    expect(await estimate(pdf.id, order)).toMatchObject(refusal);
    const hosted = await storedUpload(gateway, { provider: 'hosted', width: 640, height: 426 });
    const refused = await estimate(hosted.id, order);
    expect(refused).toMatchObject(refusal);
    expect(`${refused.body.detail} ${refused.body.remedy}`).toContain('Choose the provider LOCAL.');
    expect((await estimate(hosted.id, { mode: 'VIVID' })).status).toBe(200);
  });

  test('is the same in GraphQL', async () => {
    const { id } = await analysedPdf(threeImages());
    const query = `query { enhancementEstimate(uploadId: "${id}", input: { upscalingThreshold: 1 }) { credits minCredits filesize minFilesize maxFilesize width height masksOnly expectedImages { full reduced unchanged } notes } }`;
    const response = await gateway.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { body } = await estimate(id, { upscalingThreshold: 1 });
    expect(body.filesize).toBeGreaterThan(threeImages().length);
    expect(body.expectedImages).toEqual({ full: 3, reduced: 0, unchanged: 0 });
    expect(await response.json()).toEqual({ data: { enhancementEstimate: body } });
  });

  test('is made at the order of a PDF with very many pixels, which is refused beyond the limit', async () => {
    await using folder = await temporaryFolder();
    const bytes = threeImages();
    const { analysis, facts } = await analyzeBytes(bytes, join(folder.path, 'file'));
    const one = facts.eligible[0]!;
    // 714 images of 100 megapixels, each 250 at the most, reach the limit of 250,000 megapixels.
    const eligible = Array.from({ length: 720 }, (_, number) => ({ ...one, number, width: 10_000, height: 10_000 }));
    const statistics = { ...analysis.statistics, mayExceedPixels: true as const };
    const upload = await uploadOf(gateway, bytes, 'application/pdf', {
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      analysis: { ...analysis, statistics },
    });
    const stored = Buffer.from(JSON.stringify({ ...facts, eligible }));
    await gateway.storage.put(factsKey(upload.objectKey!), Readable.from([stored]), { maxBytes: 1e9 });
    const send = async (order: object) =>
      (
        await gateway.fetch(`/v1/uploads/${upload.id}/enhancements`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ enhancements: [order] }),
        })
      ).json();
    const before = gateway.temporal.updates.length;
    expect(await send({ targetResolution: 300 })).toMatchObject({ code: 'TOO_MANY_PIXELS', status: 422 });
    expect(gateway.temporal.updates).toHaveLength(before);
    await send({ targetResolution: 72, customColorConfig: { auto: false } });
    expect(gateway.temporal.updates).toHaveLength(before + 1);
  });

  test('refuses the same parameters as the enhancement', async () => {
    const { id } = await analysedPdf(threeImages());
    const [image, pending] = [
      await storedUpload(gateway),
      await storedUpload(gateway, { status: 'UPLOAD_PENDING', file: null, objectKey: null }),
    ];
    const fresh = await uploadOf(gateway, threeImages(), 'application/pdf', { subStatus: 'METADATA_ANALYZING' });
    const refusals = [
      await estimate(id, { targetResolution: 1200 }),
      await estimate(id, { mode: 'ENHANCE' }),
      await estimate(image.id, { targetResolution: 300 }),
      await estimate(pending.id, {}),
      await estimate(fresh.id, {}),
      await estimate(id, {}, gateway.foreignKey),
    ];
    expect(refusals.map(({ body }) => [body.code, body.field])).toEqual([
      ['TARGET_RESOLUTION_EXCEEDS_PLAN', 'enhancements[0].targetResolution'],
      ['BAD_USER_INPUT', 'enhancements[0].mode'],
      ['BAD_USER_INPUT', 'enhancements[0].targetResolution'],
      ['BAD_USER_INPUT', undefined],
      ['PDF_NOT_ANALYZED', undefined],
      ['NOT_FOUND', undefined],
    ]);
  });
});
