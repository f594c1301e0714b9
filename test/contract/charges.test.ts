import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { pdfWithPhoto, picture, scannedPage } from '../e2e/files.ts';
import { buildPdf, onePage } from '../../packages/pdf/test/build-pdf.ts';
import { flateImage, photograph } from '../../packages/engine/test/pdf/pictures.ts';
import { readRgb } from '../../packages/engine/test/support/read-rgb.ts';
import { type Answer, callRest, estimateOne, orderOne, startService } from './service.ts';
import { useForFile } from '../support/use-for.ts';

const service = useForFile(() => startService());

const rest = (path: string, body?: object): Promise<Answer> => callRest(service, path, body);

/** Uploads a file by its URL and waits for its end. */
async function uploaded(name: string, file: Buffer): Promise<string> {
  service.files.set(name, file);
  const { id } = await rest('/v1/uploads', {
    source: { url: `${service.filesUrl}/${name}` },
    webhookUrl: `${service.receiver.url}/${name}`,
  });
  await service.uploaded(id);
  return id as string;
}

const linesOf = async (enhancementId: string): Promise<Answer[]> =>
  (await rest('/v1/credits/entries?limit=100')).items.filter((each: Answer) => each.enhancementId === enhancementId);

/** A finished portrait, so light and colour need no change. */
const portrait = fileURLToPath(new URL('../../packages/engine/test/fixtures/portrait.jpg', import.meta.url));

describe('an enhancement that changes nothing', () => {
  test.each<[string, () => Promise<Buffer>, object]>([
    ['a CMYK picture', () => picture(400, 300).toColourspace('cmyk').jpeg().toBuffer(), {}],
    ['a picture that is no page', () => picture(400, 300, { seed: 9 }).jpeg().toBuffer(), { mode: 'DOCUMENT' }],
    [
      'a picture without faces',
      () => picture(400, 300, { seed: 2 }).jpeg().toBuffer(),
      { mode: 'OFF', enhanceFaceDetails: 'ENHANCE' },
    ],
    ['a balanced picture', () => sharp(portrait).png().toBuffer(), { mode: 'ENHANCE' }],
  ])('%s costs nothing, and the estimate, the record, the event and the ledger say so', async (name, file, order) => {
    const id = await uploaded(`${name.replaceAll(' ', '-')}.bin`, await file());
    const { remainingCreditsThisPeriod: before } = await rest('/v1/credits');
    expect(await estimateOne(service, id, order)).toMatchObject({ credits: 1, minCredits: 0 });
    const { id: enhancementId } = await orderOne(service, id, order);
    await service.enhanced(enhancementId);
    expect(await rest(`/v1/enhancements/${enhancementId}`)).toMatchObject({
      status: 'FINISHED',
      estimatedCredits: 1,
      chargedCredits: 0,
      engine: {
        steps: [],
        unchanged: true,
        notes: expect.arrayContaining(['The enhancement changed no picture and costs nothing.']),
      },
    });
    const { event } = await service.receiver.received(
      (each) => each.event === 'enhanced_image.status_update' && each.data['id'] === enhancementId,
    );
    expect(event.data).toMatchObject({ status: 'FINISHED', chargedCredits: 0, unchanged: true });
    expect((await rest('/v1/credits')).remainingCreditsThisPeriod).toBe(before);
    expect(await linesOf(enhancementId)).toMatchObject([
      {
        unchanged: true,
        change: 0,
        remaining: before,
        entries: [
          { kind: 'reserve', change: -1 },
          { kind: 'capture', credits: 0, change: 0 },
          { kind: 'release', change: 1 },
        ],
      },
    ]);
  });

  test('costs nothing for each image of a PDF, and an image that needs it is charged', async () => {
    const balanced = await readRgb(portrait);
    const image = (change: (value: number) => number) => {
      const { dict, data } = flateImage({ ...balanced, data: Buffer.from(balanced.data.map(change)) });
      return { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
    };
    const content = 'q 24 0 0 18 20 20 cm /A Do Q q 24 0 0 18 20 200 cm /B Do Q';
    const resources = '/XObject<</A 10 0 R/B 11 0 R>>';
    const objects = { 10: image((value) => 90 + value / 6), 11: image((value) => value) };
    const id = await uploaded('one-of-two.pdf', buildPdf(onePage(content, resources, objects)));
    const order = { targetResolution: 72 };
    expect(await estimateOne(service, id, order)).toMatchObject({ credits: 2, minCredits: 0 });
    const { id: enhancementId } = await orderOne(service, id, order);
    await service.enhanced(enhancementId);
    expect(await rest(`/v1/enhancements/${enhancementId}`)).toMatchObject({
      estimatedCredits: 2,
      chargedCredits: 1,
      engine: { unchanged: false },
    });
  });

  test.each([
    ['REST', '#f0e8d0'],
    ['GraphQL', '#e8e8e8'],
  ])('a scanned page is cleaned for 1 credit by %s', async (way, paper) => {
    const id = await uploaded(`page-by-${way}.jpg`, await scannedPage(paper));
    const order = { mode: 'DOCUMENT' };
    expect(await estimateOne(service, id, order)).toMatchObject({ credits: 1, minCredits: 0 });
    const query = `mutation { createEnhancedImage(uploadId: "${id}", input: { mode: DOCUMENT, outputFormat: PNG }) { id } }`;
    const enhancementId: string =
      way === 'REST'
        ? (await orderOne(service, id, { ...order, outputFormat: 'PNG' })).id
        : (await rest('/graphql', { query })).data.createEnhancedImage.id;
    await service.enhanced(enhancementId);
    const { chargedCredits, engine, fullUrl, parameters } = await rest(`/v1/enhancements/${enhancementId}`);
    expect([chargedCredits, engine.steps, parameters.mode]).toEqual([1, ['document'], 'DOCUMENT']);
    expect(engine.notes).toContain('The paper was made white and even, and the ink dark.');
    const result = sharp(Buffer.from(await (await fetch(fullUrl)).arrayBuffer()));
    const margin = await result.extract({ left: 0, top: 0, width: 700, height: 40 }).raw().toBuffer();
    expect(Math.min(...margin)).toBe(255);
  });

  test.each([
    ['REST', '#f0ead8'],
    ['GraphQL', '#e4e0d8'],
  ])(
    'a scanned page of a PDF is cleaned for 1 credit by %s, and one that is clean costs nothing',
    async (way, paper) => {
      const page = async (file: Buffer) => ({
        dict: '/Type/XObject/Subtype/Image/Width 700/Height 500/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode',
        data: file,
      });
      const white = await sharp(await scannedPage('#ffffff'))
        .threshold(100)
        .jpeg()
        .toBuffer();
      const content = 'q 600 0 0 390 0 400 cm /A Do Q q 600 0 0 390 0 0 cm /B Do Q';
      const objects = { 10: await page(await scannedPage(paper)), 11: await page(white) };
      const file = buildPdf(onePage(content, '/XObject<</A 10 0 R/B 11 0 R>>', objects));
      const id = await uploaded(`scans-by-${way}.pdf`, file);
      const order = { mode: 'DOCUMENT', pdf: { images: { 10: { color: true }, 11: { color: true } } } };
      expect(await estimateOne(service, id, order)).toMatchObject({ credits: 2, minCredits: 0 });
      const query = `mutation ($input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: "${id}", input: $input) { id } }`;
      const enhancementId: string =
        way === 'REST'
          ? (await orderOne(service, id, order)).id
          : (await rest('/graphql', { query, variables: { input: order } })).data.createEnhancedImage.id;
      await service.enhanced(enhancementId);
      const { chargedCredits, engine, filesize, parameters } = await rest(`/v1/enhancements/${enhancementId}`);
      expect([chargedCredits, engine.steps, parameters.mode]).toEqual([1, ['1 of 2 images'], 'DOCUMENT']);
      expect(engine.notes).toContain('Page 1 keeps an image as it is, at no charge: a clean page.');
      expect(filesize).toBeLessThanOrEqual(file.length);
    },
  );

  test('a page of a cleaned PDF is put back without a second charge, as the estimate, the record, the ledger and the proof say', async () => {
    const page = async (paper: string) => ({
      dict: '/Type/XObject/Subtype/Image/Width 700/Height 500/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode',
      data: await scannedPage(paper),
    });
    const sheet = (image: number) =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 400]/Contents 6 0 R/Resources<</XObject<</Im ${image} 0 R>>>>>>`;
    const id = await uploaded(
      'two-scans.pdf',
      buildPdf({
        1: '<</Type/Catalog/Pages 2 0 R>>',
        2: '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
        3: sheet(10),
        4: sheet(11),
        6: { dict: '', data: 'q 600 0 0 400 0 0 cm /Im Do Q' },
        10: await page('#f0ead8'),
        11: await page('#e4e0d8'),
      }),
    );
    const order = { mode: 'DOCUMENT' };
    const { id: whole } = await orderOne(service, id, order);
    await service.enhanced(whole);
    expect(await rest(`/v1/enhancements/${whole}`)).toMatchObject({ chargedCredits: 2, basedOn: null });
    const kept = { ...order, pdf: { pages: { 2: 'ORIGINAL' } } };
    const note = `0 credits: pages that ${whole} has paid cost nothing again.`;
    expect(await estimateOne(service, id, kept)).toMatchObject({ credits: 0, minCredits: 0, notes: [note] });
    const query = `mutation ($input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: "${id}", input: $input) { id parameters { pdf { pages } } } }`;
    const { createEnhancedImage } = (await rest('/graphql', { query, variables: { input: kept } })).data;
    expect(createEnhancedImage.parameters).toEqual({ pdf: kept.pdf });
    await service.enhanced(createEnhancedImage.id);
    const record = await rest(`/v1/enhancements/${createEnhancedImage.id}`);
    expect(record).toMatchObject({
      estimatedCredits: 0,
      chargedCredits: 0,
      basedOn: whole,
      engine: { unchanged: false, steps: ['1 of 2 images'] },
    });
    expect(await linesOf(record.id)).toMatchObject([{ basedOn: whole, change: 0 }]);
    const { url, apiKey } = service.instance;
    const proof = await fetch(`${url}/v1/enhancements/${record.id}/report.pdf`, {
      headers: { 'x-api-key': apiKey, Prefer: 'wait=60' },
    });
    expect([proof.status, proof.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const refused = await orderOne(service, id, { ...order, pdf: { pages: { 3: 'ORIGINAL' } } });
    expect(refused).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'enhancements[0].pdf.pages',
      detail: 'The PDF has 2 pages, so it has no page 3.',
    });
    for (const pages of [{ 0: 'ORIGINAL' }, { 1: 'CLEAN' }, { one: 'ORIGINAL' }])
      expect(await estimateOne(service, id, { ...order, pdf: { pages } })).toMatchObject({
        code: 'BAD_USER_INPUT',
      });
  });

  test('a picture that is changed is charged as estimated', async () => {
    const id = await uploaded('enlarged.jpg', await picture(400, 300, { seed: 3 }).jpeg().toBuffer());
    const order = { upscalingFactor: 'X2' };
    expect(await estimateOne(service, id, order)).toMatchObject({ credits: 4, minCredits: 4 });
    const { id: enhancementId } = await orderOne(service, id, order);
    await service.enhanced(enhancementId);
    expect((await rest(`/v1/enhancements/${enhancementId}`)).chargedCredits).toBe(4);
  });
});

describe('an enhancement that the file does not allow', () => {
  const mutation =
    'mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) { id } }';
  /** 16 megapixels: quadrupled, they exceed the maximum. */
  const large = (): Promise<Buffer> =>
    sharp({ create: { width: 4000, height: 4000, channels: 3, background: '#4a7' } })
      .jpeg()
      .toBuffer();

  test('is refused at its order and at its estimate for too many pixels', async () => {
    const id = await uploaded('large.jpg', await large());
    const order = { upscalingFactor: 'X4' };
    for (const ask of [estimateOne, orderOne])
      expect(await ask(service, id, order)).toMatchObject({
        code: 'TOO_MANY_PIXELS',
        field: 'enhancements[0].upscalingFactor',
      });
    expect(await service.refused(mutation, { id, input: order })).toBe('TOO_MANY_PIXELS');
    expect((await rest(`/v1/uploads/${id}`)).enhancements).toEqual([]);
  });

  test('ends without a charge and with the reasons by page, if its PDF cannot be an archive', async () => {
    const photo = flateImage(photograph(200, 150));
    const draw = (text: string) =>
      buildPdf(
        onePage(`q 200 0 0 150 50 50 cm /P Do Q ${text}`, '/XObject<</P 5 0 R>>/Font<</F 6 0 R>>', {
          5: { dict: `/Type/XObject/Subtype/Image ${photo.dict}`, data: photo.data },
          6: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
        }),
      );
    const order = { pdf: { archive: true } };
    const { id: refused } = await orderOne(service, await uploaded('text.pdf', draw('BT /F 9 Tf (a) Tj ET')), order);
    expect((await service.enhanced(refused)).status).toBe('ERROR');
    const record = await rest(`/v1/enhancements/${refused}`);
    expect(record).toMatchObject({ errorCode: 'NOT_ARCHIVABLE', chargedCredits: null });
    expect(record.errorDetail).toContain('Page 1 has a font that is not embedded.');
    const plain = { targetResolution: 72, customColorConfig: { auto: false }, ...order };
    const { id: archived } = await orderOne(service, await uploaded('scan.pdf', draw('')), plain);
    expect((await service.enhanced(archived)).status).toBe('FINISHED');
    expect(await rest(`/v1/enhancements/${archived}`)).toMatchObject({
      chargedCredits: 0,
      engine: { notes: expect.arrayContaining(['The result is PDF/A-2b.']) },
    });
  });

  test('is refused at its order and at its estimate for the signature of a PDF, if it changes an image', async () => {
    const photo = flateImage(photograph(200, 150));
    const page = onePage('q 200 0 0 150 50 50 cm /P Do Q', '/XObject<</P 5 0 R>>', {
      5: { dict: `/Type/XObject/Subtype/Image ${photo.dict}`, data: photo.data },
      1: '<</Type/Catalog/Pages 2 0 R/AcroForm<</SigFlags 3/Fields[20 0 R]>>>>',
      20: '<</FT/Sig/T(name)/V<</Type/Sig/ByteRange[0 1 2 3]>>>>',
    });
    const id = await uploaded('signed.pdf', buildPdf(page));
    for (const ask of [estimateOne, orderOne])
      expect(await ask(service, id, {})).toMatchObject({ code: 'SIGNED_PDF', status: 422 });
    expect(await service.refused(mutation, { id, input: {} })).toBe('SIGNED_PDF');
    expect((await rest(`/v1/uploads/${id}`)).enhancements).toEqual([]);
    const { id: allowed } = await orderOne(service, id, {
      pdf: { allowBreakingSignatures: true },
    });
    expect((await service.enhanced(allowed)).status).toBe('FINISHED');

    expect((await rest(`/v1/uploads/${id}`)).metadata.statistics.signed).toBe(true);
    const harmless = { targetResolution: 72, customColorConfig: { auto: false } };
    expect(await estimateOne(service, id, harmless)).toMatchObject({ credits: 0 });
    const { id: unchanged } = await orderOne(service, id, harmless);
    expect((await service.enhanced(unchanged)).status).toBe('FINISHED');
    expect(await rest(`/v1/enhancements/${unchanged}`)).toMatchObject({ chargedCredits: 0 });
  });

  test.each<[string, string, () => Promise<Buffer>, object, object]>([
    ['its pixels', 'by-url.jpg', large, { upscalingFactor: 'X4' }, { errorCode: 'TOO_MANY_PIXELS' }],
    ['its type', 'by-url.pdf', () => pdfWithPhoto(480, 360, 7), { mode: 'NATURAL' }, { errorCode: 'BAD_USER_INPUT' }],
  ])('ends once a file from a URL shows %s, before analysis and reservation', async (_, name, file, order, ending) => {
    service.files.set(name, await file());
    const { id, enhancements } = await rest('/v1/uploads', {
      source: { url: `${service.filesUrl}/${name}` },
      enhancements: [order],
    });
    await service.uploaded(id);
    const { id: enhancementId } = enhancements[0];
    await service.enhanced(enhancementId);
    expect(await rest(`/v1/enhancements/${enhancementId}`)).toMatchObject({
      ...ending,
      status: 'ERROR',
      startedAt: null,
      estimatedCredits: null,
    });
    expect(await linesOf(enhancementId)).toEqual([]);
    const { items } = await rest(`/v1/uploads/${id}/timeline`);
    const said = items.map(({ sentence }: Answer) => sentence.split(/[ :]/)[0]);
    expect(said.filter((word: string) => word === 'Failed' || word === 'Analyzed')[0]).toBe('Failed');
  });
});

describe('a transparent WebP', () => {
  test('stays one where no format is ordered; the estimate says that a JPEG would lose the transparency', async () => {
    const file = await picture(400, 300).ensureAlpha(0.5).webp({ quality: 95 }).toBuffer();
    const id = await uploaded('transparent.webp', file);
    expect(await rest(`/v1/uploads/${id}`)).toMatchObject({ mimetype: 'image/webp', hasAlpha: true });
    const lost = 'Transparency will be replaced by white: JPEG does not support it. outputFormat WEBP keeps it.';
    const query = `query { enhancementEstimate(uploadId: "${id}", input: { outputFormat: JPEG }) { notes } }`;
    const { data } = await rest('/graphql', { query });
    expect(data.enhancementEstimate.notes).toEqual([lost]);
    expect(await estimateOne(service, id, { outputFormat: 'JPEG' })).toMatchObject({ notes: [lost] });
    expect(await estimateOne(service, id, {})).toMatchObject({ notes: [] });
    const { id: enhancementId } = await orderOne(service, id, { mode: 'VIVID' });
    await service.enhanced(enhancementId);
    const { fullUrl } = await rest(`/v1/enhancements/${enhancementId}`);
    const result = sharp(Buffer.from(await (await fetch(fullUrl)).arrayBuffer()));
    expect(await result.metadata()).toMatchObject({ format: 'webp', hasAlpha: true });
  });

  test('an opaque image has no such note', async () => {
    const id = await uploaded('opaque.webp', await picture(400, 300).webp({ quality: 95 }).toBuffer());
    expect(await rest(`/v1/uploads/${id}`)).toMatchObject({ hasAlpha: false });
    expect(await estimateOne(service, id, {})).toMatchObject({ notes: [] });
  });
});
