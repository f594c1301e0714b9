import { PDFDocument, PDFName, PDFNumber, PDFRawStream } from '@cantoo/pdf-lib';
import sharp, { type Metadata } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Api, UploadRecord } from './api.ts';
import { bitmap, heic, pdfWithPhoto, picture } from './files.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';
import { listenHttp, type LocalServer } from '../support/local-server.ts';

/** What a client that sends files by address serves them from. */
const served = new Map<string, Buffer>();
let fileServer: LocalServer;
let instance: SharedInstance;
let api: Api;

beforeAll(async () => {
  fileServer = await listenHttp((req, res) => {
    const file = served.get(req.url ?? '');
    res.writeHead(file === undefined ? 404 : 200).end(file);
  });
  instance = await sharedInstance();
  api = instance.api;
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await fileServer?.[Symbol.asyncDispose]();
});

type Way = 'body' | 'form' | 'address';

/** Sends a file on one of the three ways, and returns its record once all is done. */
async function enhance(way: Way, name: string, file: Buffer, order: object): Promise<UploadRecord> {
  const answer = await send(way, name, file, order);
  expect(answer.status).toBe(202);
  expect(answer.headers.get('location')).toBe(`/v1/uploads/${answer.body.id}`);
  const upload = await api.settled(answer.body.id);
  expect(upload).toMatchObject({ status: 'UPLOAD_FINISHED', errorCode: null, originalFilename: name });
  expect(upload.filesize).toBe(file.length);
  return upload;
}

async function send(way: Way, name: string, file: Buffer, order: object) {
  if (way === 'body') return api.upload(file, { filename: name, enhancements: [order] });
  if (way === 'address') {
    served.set(`/${name}`, file);
    const body = { source: { url: `${fileServer.url}/${name}` }, enhancements: [order] };
    return api.call<UploadRecord>('POST', '/v1/uploads', { body });
  }
  const form = new FormData();
  form.set('enhancements', JSON.stringify([order]));
  form.set('file', new Blob([new Uint8Array(file)]), name);
  return api.call<UploadRecord>('POST', '/v1/uploads', { body: form });
}

/** Downloads by the signed address, which needs no key. */
async function download(upload: UploadRecord): Promise<Buffer> {
  const [enhancement] = upload.enhancements;
  expect(enhancement).toMatchObject({ status: 'FINISHED', errorCode: null });
  const response = await fetch(enhancement!.fullUrl!);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(enhancement!.mimetype);
  expect(response.headers.get('content-disposition')).toContain(enhancement!.filename!);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.length).toBe(enhancement!.filesize);
  return bytes;
}

interface ImageCase {
  name: string;
  way: Way;
  make: () => Promise<Buffer>;
  /** Of the upload as it is read, in pixels, upright */
  before: [number, number];
  mimetype: string;
  after: Partial<Metadata>;
  filename: string;
  notes?: string[];
}

const turned = (seed: number): Promise<Buffer> =>
  picture(400, 300, { seed }).jpeg({ quality: 90 }).withMetadata({ orientation: 6 }).withIccProfile('p3').toBuffer();

async function animation(format: 'webp' | 'gif'): Promise<Buffer> {
  const frames = await Promise.all([1, 2, 3].map((seed) => picture(200, 160, { seed }).png().toBuffer()));
  const film = sharp(frames, { join: { animated: true } });
  return (format === 'webp' ? film.webp({ quality: 95 }) : film.gif()).toBuffer();
}

const X2 = { mode: 'ENHANCE', upscalingFactor: 'X2' };
const jpegAfter = { format: 'jpeg', width: 600, height: 800, channels: 3, depth: 'uchar', hasProfile: true } as const;
const IMAGES: ImageCase[] = [
  ...(['body', 'form', 'address'] as const).map((way, index) => ({
    name: `turned-${way}.jpg`,
    way,
    make: () => turned(index + 1),
    before: [300, 400] as [number, number],
    mimetype: 'image/jpeg',
    after: jpegAfter,
    filename: `turned-${way}.jpg`,
  })),
  {
    name: 'eight.png',
    way: 'form',
    make: () => picture(200, 150).png().toBuffer(),
    before: [200, 150],
    mimetype: 'image/png',
    after: { format: 'png', width: 400, height: 300, channels: 3, depth: 'uchar' },
    filename: 'eight.png',
  },
  {
    name: 'print.tiff',
    way: 'body',
    make: () => picture(200, 150, { seed: 6 }).toColourspace('cmyk').withIccProfile('cmyk').tiff().toBuffer(),
    before: [200, 150],
    mimetype: 'image/tiff',
    after: { format: 'tiff', width: 400, height: 300, channels: 4, space: 'cmyk', hasProfile: true },
    filename: 'print.tiff',
  },
  {
    name: 'moving.webp',
    way: 'address',
    make: () => animation('webp'),
    before: [200, 160],
    mimetype: 'image/webp',
    after: { format: 'jpeg', width: 400, height: 320, channels: 3 },
    filename: 'moving.jpg',
    notes: ['Animated: the first of 3 frames was used.'],
  },
  {
    name: 'patches.heic',
    way: 'body',
    make: heic,
    before: [128, 64],
    mimetype: 'image/heic',
    after: { format: 'jpeg', width: 256, height: 128, channels: 3, hasProfile: true },
    filename: 'patches.jpg',
  },
  {
    name: 'still.avif',
    way: 'body',
    make: () => picture(300, 200, { seed: 8 }).avif({ quality: 90, effort: 0 }).toBuffer(),
    before: [300, 200],
    mimetype: 'image/avif',
    after: { format: 'jpeg', width: 600, height: 400, channels: 3 },
    filename: 'still.jpg',
  },
  {
    name: 'moving.gif',
    way: 'form',
    make: () => animation('gif'),
    before: [200, 160],
    mimetype: 'image/gif',
    after: { format: 'jpeg', width: 400, height: 320, channels: 3 },
    filename: 'moving.jpg',
    notes: ['Animated: the first of 3 frames was used.'],
  },
  {
    name: 'scan.bmp',
    way: 'address',
    make: () => bitmap(200, 150),
    before: [200, 150],
    mimetype: 'image/bmp',
    after: { format: 'jpeg', width: 400, height: 300, channels: 3 },
    filename: 'scan.jpg',
  },
];

describe('images sent to an instance', () => {
  test.each(IMAGES)('$name is returned enlarged and in the format of the contract, sent as $way', async (each) => {
    const file = await each.make();
    const upload = await enhance(each.way, each.name, file, X2);
    const [width, height] = each.before;
    expect(upload).toMatchObject({ mimetype: each.mimetype, width, height, subStatus: null });
    const [enhancement] = upload.enhancements;
    expect(enhancement).toMatchObject({ filename: each.filename, chargedCredits: 4, estimatedCredits: 4 });
    expect(enhancement!.engine?.notes ?? []).toEqual(expect.arrayContaining(each.notes ?? []));

    const result = await download(upload);
    const metadata = await sharp(result).metadata();
    expect(metadata).toMatchObject(each.after);
    // Turned once, and nothing left that would make a viewer turn it again.
    expect(metadata.orientation ?? 1).toBe(1);
    expect([enhancement!.width, enhancement!.height]).toEqual([metadata.width, metadata.height]);
    await sharp(result).stats();
  });

  test('keep their colour profile byte for byte', async () => {
    const file = await turned(9);
    const result = await download(await enhance('body', 'profile.jpg', file, X2));
    const [before, after] = await Promise.all([sharp(file).metadata(), sharp(result).metadata()]);
    expect(before.icc!.length).toBeGreaterThan(100);
    expect(after.icc!.equals(before.icc!)).toBe(true);
  });

  test('are returned as AVIF on request', async () => {
    const upload = await enhance('body', 'turned.jpg', await turned(13), { ...X2, outputFormat: 'AVIF' });
    expect(upload.enhancements[0]).toMatchObject({ mimetype: 'image/avif', filename: 'turned.avif' });
    const after = { format: 'heif', compression: 'av1', width: 600, height: 800 };
    expect(await sharp(await download(upload)).metadata()).toMatchObject(after);
  });

  test('without enhancements look as before, turned upright', async () => {
    const file = await turned(10);
    const asked = { mode: 'OFF', outputFormat: 'PNG' };
    const upload = await enhance('body', 'same.jpg', file, asked);
    expect(upload.enhancements[0]).toMatchObject({ chargedCredits: 0, filename: 'same.png' });
    const result = await download(upload);
    const [want, have] = await Promise.all([
      sharp(file, { ignoreIcc: true }).autoOrient().raw().toBuffer(),
      sharp(result, { ignoreIcc: true }).raw().toBuffer(),
    ]);
    expect(have.equals(want)).toBe(true);
  });
});

describe('a target size', () => {
  const file = (): Promise<Buffer> => picture(400, 300, { seed: 7 }).png().toBuffer();

  test.each([
    ['body', { targetWidth: 600, targetHeight: 600, fit: 'COVER' }, 600, 600, 4],
    ['form', { targetWidth: 200, targetHeight: 200 }, 200, 150, 0],
    ['address', { targetHeight: 301 }, 401, 301, 4],
  ] as const)(
    'sent by %s with %j gives exactly %i × %i pixels for %i credits',
    async (way, size, width, height, credits) => {
      const upload = await enhance(way, `target-${way}.png`, await file(), { mode: 'OFF', ...size });
      expect(upload.enhancements[0]).toMatchObject({
        width,
        height,
        estimatedCredits: credits,
        chargedCredits: credits,
      });
      expect(await sharp(await download(upload)).metadata()).toMatchObject({ width, height });
    },
  );

  test('in centimetres gives the pixels of the resolution, which the file carries', async () => {
    const order = { mode: 'OFF', targetWidthCm: 6, targetHeightCm: 9, fit: 'COVER', targetDpi: 240 };
    const upload = await enhance('body', 'print.png', await file(), order);
    expect(upload.enhancements[0]).toMatchObject({ width: 567, height: 850, chargedCredits: 4 });
    expect(upload.enhancements[0]!.engine!.notes).toContain('Print size: 6.0 × 9.0 cm at 240 DPI.');
    expect(await sharp(await download(upload)).metadata()).toMatchObject({ width: 567, height: 850, density: 240 });
  });

  test('beyond 4 times the image fails at no charge, with the largest possible size', async () => {
    const upload = await enhance('body', 'too-large.png', await file(), { targetWidth: 1601 });
    expect(upload.enhancements[0]).toMatchObject({
      status: 'ERROR',
      errorCode: 'BAD_USER_INPUT',
      errorDetail: expect.stringContaining('Choose at most 1600 × 1200 pixels.'),
      chargedCredits: null,
    });
  });
});

describe('PDFs sent to an instance', () => {
  test.each(['body', 'form', 'address'] as const)('are returned with a larger image, sent as %s', async (way) => {
    const seed = ['body', 'form', 'address'].indexOf(way);
    const file = await pdfWithPhoto(480, 360, seed + 1);
    const upload = await enhance(way, `flyer-${way}.pdf`, file, { targetResolution: 300, pdf: { maxGrowth: 20 } });
    expect(upload).toMatchObject({
      mimetype: 'application/pdf',
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      width: 0,
      height: 0,
      metadata: { statistics: { pages: 1, images: 1, colorEligible: 1, resizeEligible: 1 }, totalCredits: 4 },
    });
    expect(upload.enhancements[0]).toMatchObject({ filename: `flyer-${way}.pdf`, chargedCredits: 4 });
    const document = await PDFDocument.load(await download(upload));
    expect(document.getPageCount()).toBe(1);
    // 6 inches at 300 DPI.
    expect(widthsOfImages(document)).toEqual([1800]);
  });
});

test('a PDF reports its images that stay below the target resolution', async () => {
  const upload = await enhance('body', 'coarse.pdf', await pdfWithPhoto(360, 270, 7), { targetResolution: 300 });
  expect(upload).toMatchObject({ metadata: { statistics: { belowTarget: 1, lowestReached: 240 } } });
  expect(upload.enhancements[0]!.engine!.notes).toContainEqual(
    expect.stringMatching(/^1 image reaches 240 of 300 DPI: an image is enlarged at most 4 times/),
  );
  expect(widthsOfImages(await PDFDocument.load(await download(upload)))).toEqual([1440]);
});

function widthsOfImages(document: PDFDocument): number[] {
  return document.context.enumerateIndirectObjects().flatMap(([, object]) => {
    if (!(object instanceof PDFRawStream) || object.dict.get(PDFName.of('Subtype')) !== PDFName.of('Image')) return [];
    return [object.dict.lookup(PDFName.of('Width'), PDFNumber).asNumber()];
  });
}
