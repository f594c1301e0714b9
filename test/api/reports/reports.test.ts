import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { Failure, priceOfPdf, type Upload } from '@burnish/contract';
import { enhancements } from '../../../src/database/schema/enhancements.ts';
import { noteInWords } from '../../../src/domain/notes/note-in-words.ts';
import type { PreviewEngine } from '../../../src/api/previews/previews.ts';
import { openPreviewEngine } from '../../../src/runtime/preview-engine.ts';
import { openPdfDocument } from '@burnish/pdf';
import { listPdfImages } from '../../../packages/engine/src/pdf/analyze/list-images.ts';
import { buildPdf, onePage } from '../../../packages/pdf/test/build-pdf.ts';
import { largeEncryptedPdf } from '../../../packages/engine/test/pdf/encrypted-files.ts';
import { disc, softMask, xObject } from '../../../packages/engine/test/pdf/made-pictures.ts';
import { flateImage, photograph, type Samples } from '../../../packages/engine/test/pdf/pictures.ts';
import { analyzeBytes, enhanceBytes, parametersOf } from '../../../packages/engine/test/pdf/support.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { resultOf, uploadOf } from '../previews/stored-files.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { pdfTexts } from '../../support/pdf-text.ts';
import { until } from '../../support/until.ts';

let gateway: TestGateway;
let folder: TemporaryFolder;
beforeAll(async () => {
  gateway = await testGateway();
  folder = await temporaryFolder();
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A page with a photograph at 72 pixels an inch, a drawing at 400, and an image of one bit. */
function threeImages(): Buffer {
  const image = (samples: Samples) => {
    const { dict, data } = flateImage(samples);
    return { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
  };
  const photo = photograph(120, 90, 3, 1);
  const drawing = { ...photo, data: Buffer.from(photo.data.map((_, i) => (i % 360 < 180 ? 40 : 200))) };
  const bits = {
    dict: '/Type/XObject/Subtype/Image/Width 64/Height 64/BitsPerComponent 1/ColorSpace/DeviceGray',
    data: Buffer.alloc(512, 0x5a),
  };
  const draw = (name: string, dpi: number, y: number): string =>
    `q ${(120 / dpi) * 72} 0 0 ${(90 / dpi) * 72} 20 ${y} cm /${name} Do Q`;
  const content = [draw('A', 72, 20), draw('B', 400, 200), draw('C', 200, 260)].join(' ');
  return buildPdf(
    onePage(content, '/XObject<</A 10 0 R/B 11 0 R/C 12 0 R>>', { 10: image(photo), 11: image(drawing), 12: bits }),
  );
}

/** Images of one colour with the shape of a disc in their masks, at 72 pixels an inch. */
function badges(count: number, side: number): Buffer {
  const numbers = Array.from({ length: count }, (_, i) => 10 + 2 * i);
  const badge = flateImage({ data: Buffer.alloc(side * side * 3, 90), width: side, height: side, channels: 3 });
  const objects = numbers.flatMap((number) => [
    [number, xObject(badge, `/SMask ${number + 1} 0 R`)],
    [number + 1, softMask(disc(side, side))],
  ]);
  const draws = numbers.map(
    (n, i) => `q ${side} 0 0 ${side} ${(i % 4) * 140} ${Math.floor(i / 4) * 60} cm /Im${n} Do Q`,
  );
  const names = numbers.map((number) => `/Im${number} ${number} 0 R`).join(' ');
  return buildPdf(onePage(draws.join(' '), `/XObject<<${names}>>`, Object.fromEntries(objects)));
}

async function pdfUpload(bytes: Buffer, more: Partial<Upload> = {}): Promise<Upload> {
  const { analysis } = await analyzeBytes(bytes, join(folder.path, 'analyzed'));
  const state = {
    subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
    analysis,
    originalFilename: 'Flyer größe 日本.pdf',
  } as const;
  return await uploadOf(gateway, bytes, 'application/pdf', { ...state, ...more });
}

let reports = 0;
const made = (response: Response): Response | undefined => (response.status === 202 ? undefined : response);
/** The report as a reader opens it, once it is made. */
async function reportOf(path: string) {
  const response = await until(async () => made(await gateway.fetch(`${path}/report.pdf`)));
  if (response.status !== 200) throw new Error(await response.text());
  const bytes = Buffer.from(await response.arrayBuffer());
  const file = join(folder.path, `report-${(reports += 1)}.pdf`);
  await writeFile(file, bytes);
  const { images } = await listPdfImages({ inputPath: file });
  const texts = await pdfTexts(bytes);
  return {
    response,
    bytes,
    file,
    text: texts.join(' ').replace(/\s+/g, ' '),
    pictures: images.length,
    pages: texts.length,
  };
}

describe('the proof report of an enhanced PDF', () => {
  test('shows each image before and after, its resolution, its changes and reasons for no change', async () => {
    const bytes = threeImages();
    const upload = await pdfUpload(bytes);
    const made = await enhanceBytes(bytes, join(folder.path, 'three'), parametersOf({ targetResolution: 144 }));
    const enhancement = await resultOf(gateway, upload, await readFile(made.outputPath), 'application/pdf', {
      parameters: { targetResolution: 144 },
      chargedCredits: 5,
      engine: { version: '12.test', steps: ['2 of 3 images'], models: [], notes: ['A note.'], durationMs: 5 },
    });
    const { text, pictures, response, file, pages } = await reportOf(`/v1/enhancements/${enhancement.id}`);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    for (const words of [
      'Flyer größe 日本.pdf',
      enhancement.id,
      '12.test',
      '5 charged',
      'A note.',
      'Before: 120 × 90 pixels, 72 DPI',
      'After: 240 × 180 pixels, 144 DPI',
      'Enlarged and corrected in tone and colour.',
      'Unchanged: it has one bit per pixel.',
      'targetResolution 144',
      'Charge: 4 credits',
    ])
      expect(text).toContain(words);
    expect(text.match(/Charge: 0 credits/g)).toHaveLength(2);
    // Two images before and after, and one page before and after.
    expect(pictures).toBe(6);
    expect(pages).toBeGreaterThanOrEqual(2);
    expect(() => openPdfDocument(file).close()).not.toThrow();
  });

  test('names masks that alone are enlarged, as the list and the estimate do, and small ones are free', async () => {
    const bytes = badges(24, 46);
    const upload = await pdfUpload(bytes);
    expect(upload.analysis).toMatchObject({ totalCredits: 0, statistics: { resizeEligible: 0 } });
    const estimate = await gateway.fetch(`/v1/uploads/${upload.id}/estimate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"enhancements":[{}]}',
    });
    const { enhancements } = await estimate.json();
    expect(enhancements).toMatchObject([{ credits: 0, minCredits: 0, masksOnly: 24 }]);
    const { outputPath, work } = await enhanceBytes(bytes, join(folder.path, 'badges'), parametersOf());
    expect([priceOfPdf(work), work.masksOnly]).toEqual([0, 24]);

    const { id } = await resultOf(gateway, upload, await readFile(outputPath), 'application/pdf');
    const list = await (await gateway.fetch(`/v1/enhancements/${id}/pdf-images`)).json();
    expect(list.total).toBe(24);
    expect(list.items[0]).toMatchObject({ number: 10, width: 46, enhanced: { width: 46, height: 46 }, maskOnly: true });
    const { text } = await reportOf(`/v1/enhancements/${id}`);
    expect(text.match(/Its mask alone enlarged to 184 × 184 pixels, free below 128 pixels/g)).toHaveLength(24);

    const large = await pdfUpload(badges(2, 130));
    expect(large.analysis).toMatchObject({ totalCredits: 8, statistics: { resizeEligible: 2 } });
  });

  test('is stored, and made again if its records change', async () => {
    const bytes = threeImages();
    const upload = await pdfUpload(bytes);
    const made = await enhanceBytes(bytes, join(folder.path, 'kept'), parametersOf({ targetResolution: 144 }));
    const result = await resultOf(gateway, upload, await readFile(made.outputPath), 'application/pdf');
    const first = await reportOf(`/v1/enhancements/${result.id}`);
    const etag = first.response.headers.get('etag')!;
    const again = await reportOf(`/v1/enhancements/${result.id}`);
    expect(again.response.headers.get('etag')).toBe(etag);
    // Only an operation by hand changes the record of an ended enhancement.
    const { orm } = gateway.database;
    await orm.update(enhancements).set({ chargedCredits: 7, revision: 9 }).where(eq(enhancements.id, result.id));
    const changed = await reportOf(`/v1/enhancements/${result.id}`);
    expect(changed.text).toContain('7 charged');
    expect(changed.response.headers.get('etag')).not.toBe(etag);
  });
});

describe('the preflight report of an upload', () => {
  test.each([
    ['a range where only the work shows it', {}, 'Tone and colour at most 1 credit', 'Enlarged 4 times 4 credits'],
    [
      'at the hosted service',
      { provider: 'hosted' as const },
      'Tone and colour 1 credit',
      'Enlarged 4 times 4 credits',
    ],
    [
      'or the reason without one',
      { width: 4000, height: 4000 },
      'Enlarged 2 times 4 credits',
      'Enlarged 4 times The result would have 16000 × 16000 pixels',
    ],
  ])('of an image shows the price of each size: %s', async (_what, more, ...words) => {
    const upload = await uploadOf(gateway, await jpeg(5), 'image/jpeg', { width: 320, height: 240, ...more });
    const { text } = await reportOf(`/v1/uploads/${upload.id}`);
    for (const each of ['Price with the usual settings', ...words]) expect(text).toContain(each);
  });

  /** A page with images at 250, 275 and 400 pixels an inch. */
  function nearTarget(): Buffer {
    const resolutions = [250, 275, 400];
    const draws = resolutions.map(
      (dpi, i) => `q ${(160 / dpi) * 72} 0 0 ${(120 / dpi) * 72} 20 ${20 + i * 90} cm /I${i} Do Q`,
    );
    const images = resolutions.map((_, i) => {
      const { dict, data } = flateImage(photograph(160, 120, 3, i + 1));
      return [10 + i, { dict: `/Type/XObject/Subtype/Image ${dict}`, data }] as const;
    });
    const names = resolutions.map((_, i) => `/I${i} ${10 + i} 0 R`).join('');
    return buildPdf(onePage(draws.join(' '), `/XObject<<${names}>>`, Object.fromEntries(images)));
  }

  test('of a PDF counts the images below the target, and apart from them those to enlarge', async () => {
    const upload = await pdfUpload(nearTarget());
    const { text } = await reportOf(`/v1/uploads/${upload.id}`);
    for (const words of [
      'Analysis with the usual settings, for 300 DPI',
      'Images 3',
      'Below 300 DPI 2',
      'To enlarge, by more than 1.2 times 0',
      '250 DPI',
      '275 DPI',
      'Price at most 3 credits',
    ])
      expect(text).toContain(words);
  });

  test('the proof counts and prices the images by the parameters of its own order', async () => {
    const bytes = nearTarget();
    const upload = await pdfUpload(bytes);
    const order = { upscalingThreshold: 1 };
    const made = await enhanceBytes(bytes, join(folder.path, 'threshold'), parametersOf(order));
    const enhancement = await resultOf(gateway, upload, await readFile(made.outputPath), 'application/pdf', {
      parameters: order,
      chargedCredits: 8,
    });
    const { text } = await reportOf(`/v1/enhancements/${enhancement.id}`);
    for (const words of [
      'Plan of this order, for 300 DPI',
      'Below 300 DPI 2',
      'To enlarge, by more than 1 times 2',
      'Price 8 to 9 credits',
      '8 charged',
      'After: 192 × 144 pixels, 300 DPI',
    ])
      expect(text).toContain(words);
  });

  test('the proof says whether the resolution suffices or the threshold keeps the size', async () => {
    const bytes = nearTarget();
    const upload = await pdfUpload(bytes);
    const { id } = await resultOf(gateway, upload, bytes, 'application/pdf', {
      parameters: { customColorConfig: { auto: false } },
    });
    const { text } = await reportOf(`/v1/enhancements/${id}`);
    for (const words of [
      'for 300 DPI it would grow only 1.09 times',
      'its 400 DPI are enough, as the order asks for 300',
    ])
      expect(text).toContain(words);
  });

  test('of a PDF shows the effect of an enhancement to 300 DPI on each image, and reasons for no change', async () => {
    const upload = await pdfUpload(threeImages());
    const { text } = await reportOf(`/v1/uploads/${upload.id}`);
    for (const words of [
      'Preflight',
      upload.id,
      'Planned: enlarged',
      'Price: 4 credits',
      'Unchanged: it has one bit',
      '72 DPI',
      '400 DPI',
    ])
      expect(text).toContain(words);
  });

  test('of a PDF with more images than it shows counts the others', async () => {
    const count = 50;
    const numbers = Array.from({ length: count }, (_, i) => 10 + i);
    const objects = Object.fromEntries(numbers.map((n) => [n, xObject(flateImage(photograph(40, 30, 3, n)))]));
    const names = numbers.map((n) => `/I${n} ${n} 0 R`).join('');
    const draws = numbers
      .map((n, i) => `q 9 0 0 7 ${(i % 10) * 20} ${Math.floor(i / 10) * 30} cm /I${n} Do Q`)
      .join(' ');
    const upload = await pdfUpload(buildPdf(onePage(draws, `/XObject<<${names}>>`, objects)));
    const { text, bytes } = await reportOf(`/v1/uploads/${upload.id}`);
    expect(text).toContain('10 more images of the PDF are not shown here.');
    expect(bytes.length).toBeLessThan(1_000_000);
  });

  test('of a PDF that could not be analyzed names its state', async () => {
    const upload = await uploadOf(gateway, await largeEncryptedPdf(), 'application/pdf', {
      subStatus: 'METADATA_ANALYZED_FAILED',
      errorCode: 'ENCRYPTED_PDF',
    });
    expect((await reportOf(`/v1/uploads/${upload.id}`)).text).toContain('METADATA_ANALYZED_FAILED');
  });

  test('of a signed and encrypted PDF uses its password, and says that it is signed', async () => {
    const upload = await uploadOf(gateway, await largeEncryptedPdf(), 'application/pdf', {
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      analysis: {
        totalCredits: 5,
        statistics: {
          pages: 1,
          images: 1,
          colorEligible: 1,
          resizeEligible: 1,
          signed: true,
          credits: { color: 1, resize: 4, colorAndResize: 5 },
        },
      },
    });
    const refused = await gateway.fetch(`/v1/uploads/${upload.id}/report.pdf`);
    expect(await refused.json()).toMatchObject({ code: 'ENCRYPTED_PDF' });
    await gateway.records.uploadPasswords.put(upload.id, 'secret');
    const { text } = await reportOf(`/v1/uploads/${upload.id}`);
    for (const words of ['280 × 210 pixels, 72 DPI', 'The PDF is signed.']) expect(text).toContain(words);
  });

  test('of an image shows the image, and the proof report shows it before and after', async () => {
    const upload = await uploadOf(gateway, await jpeg(), 'image/jpeg', { width: 320, height: 240 });
    const before = await reportOf(`/v1/uploads/${upload.id}`);
    expect([before.text.includes('320 × 240 pixels'), before.pictures]).toEqual([true, 1]);
    const notes = [noteInWords({ code: 'ENLARGED_IN_DETAIL', by: ['detail'] })];
    const engine = { version: '12.test', steps: ['upscale'], models: [], notes, durationMs: 5 };
    const result = await resultOf(gateway, upload, await jpeg(2), 'image/jpeg', { engine });
    const proof = await reportOf(`/v1/enhancements/${result.id}`);
    expect([proof.text.includes('Before and after'), proof.pictures]).toEqual([true, 2]);
    expect(proof.text).toContain('Notes of the engine • Enlarged by detail, which may invent detail.');
  });
});

describe('a report that takes long', () => {
  test('gets 202 with a time to ask again; it is made once, and stored', async () => {
    let [made, failing] = [0, false];
    const waiting = new Map<string, () => void>();
    /** Lets the report that is being made continue, once its pictures are ready. */
    const resume = async (): Promise<void> => {
      while (!waiting.has('report')) await new Promise((later) => setTimeout(later, 20));
      waiting.get('report')!();
      waiting.delete('report');
    };
    const engine = await openPreviewEngine(join(folder.path, 'slow'));
    const slow: PreviewEngine = {
      ...engine,
      async report(account, input) {
        made += 1;
        await new Promise<void>((resume) => waiting.set('report', resume));
        if (failing) throw new Failure('PROCESSING_LIMIT');
        await engine.report(account, input);
      },
    };
    await using other = await testGateway({ previewEngine: slow, limits: { reportWaitMs: 300 } });
    const upload = await uploadOf(other, await jpeg(9), 'image/jpeg', { width: 320, height: 240 });
    const path = `/v1/uploads/${upload.id}/report.pdf`;
    const ask = (): Promise<Response> => other.fetch(path);
    const first = await Promise.all([ask(), ask()]);
    for (const { status, headers } of [...first, await ask()])
      expect([status, headers.get('retry-after'), headers.get('location')]).toEqual([202, '5', path]);
    await resume();
    expect(made).toBe(1);
    const asked = async (address: string): Promise<Response> => {
      for (;;) {
        const response = await other.fetch(address);
        if (response.status !== 202) return response;
      }
    };
    const [done, again] = [await asked(path), await asked(path)];
    expect([done.status, again.status, again.headers.get('content-type'), made]).toEqual([
      200,
      200,
      'application/pdf',
      1,
    ]);

    // A report that fails after the answer gives its error to the next request.
    failing = true;
    const broken = await uploadOf(other, await jpeg(8), 'image/jpeg', { width: 320, height: 240 });
    const brokenPath = `/v1/uploads/${broken.id}/report.pdf`;
    expect((await other.fetch(brokenPath)).status).toBe(202);
    await resume();
    expect((await asked(brokenPath)).status).toBe(422);
    await engine.close();
  });
});

test('a report of another account, a deleted upload or an unfinished enhancement is NOT_FOUND', async () => {
  const upload = await uploadOf(gateway, await jpeg(), 'image/jpeg');
  const gone = await uploadOf(gateway, await jpeg(), 'image/jpeg', { status: 'UPLOAD_DELETED', objectKey: null });
  const answers = await Promise.all([
    gateway.fetch(`/v1/uploads/${upload.id}/report.pdf`, { key: gateway.foreignKey }),
    gateway.fetch(`/v1/uploads/${gone.id}/report.pdf`),
    gateway.fetch('/v1/enhancements/enh_nothing/report.pdf'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});
