import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { pdfWithPhoto, photo, picture } from '../e2e/files.ts';
import { verifyImage } from '../../packages/engine/src/image/verify.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isSignedBy } from '../e2e/webhook-receiver.ts';
import { type Answer, ENHANCED_FIELDS, estimateOne, orderOne, startOwnService, UPLOAD_FIELDS } from './service.ts';
import { useForFile } from '../support/use-for.ts';

const service = useForFile(() => startOwnService());

const BY_URL = `mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { ${UPLOAD_FIELDS} } }`;
const SIGNED = `mutation ($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadId uploadUrl } }`;
const COMPLETE = `mutation ($id: ID!) { completeSignedUpload(id: $id) { ${UPLOAD_FIELDS} } }`;
const ENHANCE = `mutation ($uploadId: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $uploadId, input: $input) { ${ENHANCED_FIELDS} } }`;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function uploadedFromUrl(name: string, file: Buffer, order: Record<string, unknown> = {}) {
  service.files.set(name, file);
  const input = { url: `${service.filesUrl}/${encodeURIComponent(name)}`, ...order };
  const { createUploadFromUrl } = await service.send(BY_URL, { input });
  return await service.uploaded(createUploadFromUrl.id);
}

describe('a strictly faithful enlargement', () => {
  const [ORIGINAL, RESULT] = ['strict.jpg', 'strict-result.png'];
  const rest = async (path: string, body?: object): Promise<Answer> => {
    const { url, apiKey } = service.instance;
    const headers = { 'x-api-key': apiKey, 'Content-Type': 'application/json' };
    const order = body && { method: 'POST', body: JSON.stringify(body) };
    return await (await fetch(url + path, { headers, ...order })).json();
  };

  test('has its measured difference in REST, GraphQL and the file, and changes nothing besides the size', async () => {
    await using folder = await temporaryFolder();
    const file = await photo(5);
    const upload = await uploadedFromUrl(ORIGINAL, file);
    const order = { upscalingFactor: 'X2', fidelity: 'STRICT' };
    expect(await estimateOne(service, upload.id, order)).toMatchObject({ credits: 4, minCredits: 4 });
    const verified = async (more: object) => {
      const { id } = await orderOne(service, upload.id, { ...order, ...more });
      await service.enhanced(id);
      const { engine, fullUrl } = await rest(`/v1/enhancements/${id}`);
      await writeFile(join(folder.path, ORIGINAL), file);
      await writeFile(join(folder.path, RESULT), Buffer.from(await (await fetch(fullUrl)).arrayBuffer()));
      expect(engine.fidelity).toEqual(
        await verifyImage({ originalPath: join(folder.path, ORIGINAL), resultPath: join(folder.path, RESULT) }),
      );
      expect(engine.steps).toEqual(['upscale']);
      const query = `query { enhancedImage(id: "${id}") { engine { fidelity { psnr maxDifference } } } }`;
      expect((await rest('/graphql', { query })).data.enhancedImage.engine.fidelity).toEqual(engine.fidelity);
      return engine.fidelity;
    };
    expect(await verified({ outputFormat: 'PNG' })).toEqual({ psnr: null, maxDifference: 0 });
    expect((await verified({})).psnr).toBeGreaterThan(45);
    const { id: loose } = await orderOne(service, upload.id, { mode: 'OFF', upscalingFactor: 'X2' });
    await service.enhanced(loose);
    expect((await rest(`/v1/enhancements/${loose}`)).engine.fidelity).toBeNull();
  });

  test.each([
    [{ upscalingFactor: 'X2', mode: 'ENHANCE' }, 'mode'],
    [{ upscalingFactor: 'X2', sharpening: 0.2 }, 'sharpening'],
    [{}, 'upscalingFactor'],
  ])('is refused with %j', async (parameters, field) => {
    const source = { url: `${service.filesUrl}/${ORIGINAL}` };
    const order = { ...parameters, fidelity: 'STRICT' };
    const early = await rest('/v1/uploads', { source, enhancements: [order] });
    expect(early).toMatchObject({ code: 'BAD_USER_INPUT', field: `enhancements[0].${field}` });
    const { id } = await uploadedFromUrl(ORIGINAL, await photo(5));
    for (const ask of [estimateOne, orderOne])
      expect(await ask(service, id, order)).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: `enhancements[0].${field}`,
      });
  });
});

const put = (url: string, body: Buffer, type: string): Promise<Response> =>
  fetch(url, { method: 'PUT', headers: { 'Content-Type': type }, body: new Uint8Array(body) });

describe('an image from a URL', () => {
  test('is uploaded, enhanced twice with different parameters, polled, and downloaded from fullUrl', async () => {
    const file = await photo(1);
    service.files.set('holiday photo.jpg', file);
    const input = { url: `${service.filesUrl}/holiday%20photo.jpg` };
    const { createUploadFromUrl: begun } = await service.send(BY_URL, { input });
    expect(begun).toMatchObject({
      status: 'UPLOAD_PROCESSING',
      subStatus: null,
      originalFilename: 'holiday photo.jpg',
    });

    const upload = await service.uploaded(begun.id);
    expect(upload).toMatchObject({
      id: begun.id,
      status: 'UPLOAD_FINISHED',
      subStatus: null,
      metadata: null,
      filesize: file.length,
      mimetype: 'image/jpeg',
      extension: 'jpg',
      originalFilename: 'holiday photo.jpg',
      filename: `${begun.id}.jpg`,
      width: 400,
      height: 300,
      startedAt: expect.stringMatching(TIME),
      finishedAt: expect.stringMatching(TIME),
      duration: expect.any(Number),
      errorCode: null,
    });
    const original = await fetch(upload['url'] as string);
    expect(Buffer.from(await original.arrayBuffer()).equals(file)).toBe(true);

    const { createEnhancedImage: doubled } = await service.send(ENHANCE, {
      uploadId: upload.id,
      input: { mode: 'ENHANCE', upscalingFactor: 'X2' },
    });
    expect(doubled).toMatchObject({ status: 'QUEUED', fullUrl: null, errorCode: null });
    const { createEnhancedImage: vivid } = await service.send(ENHANCE, {
      uploadId: upload.id,
      input: { mode: 'VIVID', outputFormat: 'PNG' },
    });
    const results = await Promise.all([service.enhanced(doubled.id), service.enhanced(vivid.id)]);
    expect(results).toMatchObject([
      { status: 'FINISHED', filename: 'holiday photo.jpg', errorCode: null, engineDuration: expect.any(Number) },
      { status: 'FINISHED', filename: 'holiday photo.png', errorCode: null, engineDuration: expect.any(Number) },
    ]);
    const [big, png] = await Promise.all(
      results.map(async ({ fullUrl }) => sharp(Buffer.from(await (await fetch(fullUrl!)).arrayBuffer())).metadata()),
    );
    expect([big!.width, big!.height, big!.format]).toEqual([800, 600, 'jpeg']);
    expect([png!.width, png!.height, png!.format]).toEqual([400, 300, 'png']);
  });

  test('that does not exist ends as UPLOAD_FAILED with the reason', async () => {
    const { createUploadFromUrl } = await service.send(BY_URL, { input: { url: `${service.filesUrl}/nothing.jpg` } });
    expect(await service.uploaded(createUploadFromUrl.id)).toMatchObject({
      status: 'UPLOAD_FAILED',
      errorCode: 'URL_FETCH_FAILED',
    });
  });

  test.each([
    ['of 19,999 bytes', async () => (await photo(9)).subarray(0, 19_999), 'FILE_TOO_SMALL'],
    ['of no supported type', async () => Buffer.alloc(30_000, 'text '), 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is damaged', async () => (await photo(9)).fill(0, 300, 21_000), 'CORRUPT_FILE'],
  ])('%s ends as UPLOAD_FAILED', async (name, file, errorCode) => {
    expect(await uploadedFromUrl(name, await file())).toMatchObject({ status: 'UPLOAD_FAILED', errorCode });
  });
});

describe('a signed upload', () => {
  test('takes three steps, and the file can be enhanced', async () => {
    const file = await photo(2);
    const input = { filename: 'signed.jpg', filesize: file.length, mimetype: 'image/jpeg' };
    const { createSignedUploadUrl: signed } = await service.send(SIGNED, { input });
    expect(signed.uploadId).toMatch(/^upl_/);
    const { upload: pending } = await service.send('query ($id: ID!) { upload(id: $id) { status startedAt } }', {
      id: signed.uploadId,
    });
    expect(pending.status).toBe('UPLOAD_PENDING');
    expect((await put(signed.uploadUrl, file, 'image/jpeg')).ok).toBe(true);
    const { completeSignedUpload } = await service.send(COMPLETE, { id: signed.uploadId });
    expect(completeSignedUpload.id).toBe(signed.uploadId);
    const upload = await service.uploaded(signed.uploadId);
    expect(upload).toMatchObject({
      status: 'UPLOAD_FINISHED',
      filesize: file.length,
      width: 400,
      originalFilename: 'signed.jpg',
    });
    const { createEnhancedImage } = await service.send(ENHANCE, { uploadId: upload.id, input: { mode: 'NATURAL' } });
    expect((await service.enhanced(createEnhancedImage.id)).status).toBe('FINISHED');
  });

  test('takes an order before its file as an image, and as a PDF only after its analysis', async () => {
    for (const [file, mimetype, early] of [
      [await photo(11), 'image/jpeg', 'QUEUED'],
      [await pdfWithPhoto(480, 360, 11), 'application/pdf', 'PDF_NOT_ANALYZED'],
    ] as const) {
      const input = { filename: 'early', filesize: file.length, mimetype };
      const { createSignedUploadUrl: signed } = await service.send(SIGNED, { input });
      const order = { uploadId: signed.uploadId, input: {} };
      const answer =
        early === 'QUEUED'
          ? (await service.send(ENHANCE, order)).createEnhancedImage
          : await service.refused(ENHANCE, order);
      expect(answer.status ?? answer).toBe(early);
      await put(signed.uploadUrl, file, mimetype);
      await service.send(COMPLETE, { id: signed.uploadId });
      expect((await service.uploaded(signed.uploadId)).errorCode).toBeNull();
      const { createEnhancedImage } = await service.send(ENHANCE, order);
      expect((await service.enhanced(createEnhancedImage.id)).status).toBe('FINISHED');
      if (early === 'QUEUED') expect((await service.enhanced(answer.id)).status).toBe('FINISHED');
    }
  });

  test('with content of another type than declared fails at completeSignedUpload', async () => {
    const png = await picture(300, 200).png().toBuffer();
    const input = { filename: 'a.jpg', filesize: png.length, mimetype: 'image/jpeg' };
    const { createSignedUploadUrl: signed } = await service.send(SIGNED, { input });
    await put(signed.uploadUrl, png, 'image/jpeg');
    const { completeSignedUpload } = await service.send(COMPLETE, { id: signed.uploadId });
    expect(completeSignedUpload).toMatchObject({ status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH' });
  });
});

describe('a PDF', () => {
  test('from a URL takes orders while its type is unknown, and they wait for its analysis', async () => {
    let send!: (file: Buffer) => void;
    service.files.set('slow', new Promise<Buffer>((resolve) => (send = resolve)));
    const { createUploadFromUrl } = await service.send(BY_URL, { input: { url: `${service.filesUrl}/slow` } });
    expect(createUploadFromUrl).toMatchObject({ status: 'UPLOAD_PROCESSING', mimetype: null });
    const orders = [{}, { mode: 'NATURAL' }].map(async (input) => {
      const { createEnhancedImage } = await service.send(ENHANCE, { uploadId: createUploadFromUrl.id, input });
      expect(createEnhancedImage.status).toBe('QUEUED');
      return createEnhancedImage.id as string;
    });
    const [fits, unfit] = await Promise.all(orders);
    send(await pdfWithPhoto(480, 360, 12));
    expect(await service.enhanced(unfit!)).toMatchObject({ status: 'ERROR', errorCode: 'BAD_USER_INPUT' });
    expect(await service.enhanced(fits!)).toMatchObject({ status: 'FINISHED', errorCode: null });
  });

  test('is analyzed automatically, can be reviewed, and is then enhanced', async () => {
    const upload = await uploadedFromUrl('brochure.pdf', await pdfWithPhoto());
    expect(upload).toMatchObject({
      status: 'UPLOAD_FINISHED',
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      mimetype: 'application/pdf',
      extension: 'pdf',
      width: 0,
      height: 0,
    });
    const metadata = JSON.parse(upload.metadata!);
    expect(metadata).toMatchObject({
      totalCredits: expect.any(Number),
      statistics: {
        pages: 1,
        images: 1,
        colorEligible: expect.any(Number),
        resizeEligible: expect.any(Number),
        credits: { color: expect.any(Number), resize: expect.any(Number), colorAndResize: expect.any(Number) },
      },
    });
    const input = { targetResolution: 150, upscalingThreshold: 1.2, customColorConfig: { brightness: 0.1 } };
    const { createEnhancedImage } = await service.send(ENHANCE, { uploadId: upload.id, input });
    expect(createEnhancedImage.status).toBe('QUEUED');
    const result = await service.enhanced(createEnhancedImage.id);
    expect(result).toMatchObject({ status: 'FINISHED', filename: 'brochure.pdf', errorCode: null });
    const answer = await fetch(result.fullUrl!);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    expect(
      await service.send('mutation ($id: ID!) { analyzePdf(uploadId: $id) { success } }', { id: upload.id }),
    ).toEqual({
      analyzePdf: { success: true },
    });
  });

  test('that is damaged ends its analysis as METADATA_ANALYZED_FAILED, is not enhanced, and can be analyzed again', async () => {
    const upload = await uploadedFromUrl(
      'broken.pdf',
      Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(30_000, 'x')]),
    );
    expect(upload).toMatchObject({ status: 'UPLOAD_FINISHED', subStatus: 'METADATA_ANALYZED_FAILED', metadata: null });
    expect(await service.refused(ENHANCE, { uploadId: upload.id, input: {} })).toBe('PDF_NOT_ANALYZED');
    const again = await service.send('mutation ($id: ID!) { analyzePdf(uploadId: $id) { success } }', {
      id: upload.id,
    });
    expect(again).toEqual({ analyzePdf: { success: true } });
    expect(await service.uploaded(upload.id)).toMatchObject({ subStatus: 'METADATA_ANALYZED_FAILED' });
  });
});

describe('signed webhooks', () => {
  test('report the analysis and the enhancement of a PDF with the data of the contract', async () => {
    const webhookUrl = `${service.receiver.url}/hook`;
    const upload = await uploadedFromUrl('hooked.pdf', await pdfWithPhoto(480, 360, 3), { webhookUrl });
    const analyzed = await service.receiver.received(
      ({ event, data }) => event === 'upload.sub_status_update' && data['id'] === upload.id,
    );
    expect(analyzed.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'upload.sub_status_update',
      created: expect.stringMatching(TIME),
      data: {
        id: upload.id,
        status: 'UPLOAD_FINISHED',
        subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
        metadata: JSON.parse(upload.metadata!),
      },
    });
    const { createEnhancedImage } = await service.send(ENHANCE, { uploadId: upload.id, input: {} });
    const finished = await service.receiver.received(({ data }) => data['id'] === createEnhancedImage.id);
    expect(finished.event).toMatchObject({
      event: 'enhanced_image.status_update',
      data: { status: 'FINISHED', uploadId: upload.id, filename: 'hooked.pdf', errorCode: null },
    });
    for (const each of [analyzed, finished]) {
      expect(isSignedBy(service.instance.webhookSecret, each)).toBe(true);
      expect(isSignedBy(service.instance.webhookSecret, { ...each, text: each.text.replace('F', 'G') })).toBe(false);
      expect(isSignedBy(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, each)).toBe(false);
    }
  });
});
