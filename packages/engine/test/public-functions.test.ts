import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildPdf, imagePage } from '../../pdf/test/build-pdf.ts';
import * as engine from '../src/index.ts';
import { photograph } from './pdf/pictures.ts';
import { scratchFolder } from './support/files.ts';
import { testUnless } from '../../../test/support/needs.ts';

const scratch = await scratchFolder();
const image = scratch('image.png');
const pdf = scratch('file.pdf');
const [out, missing, empty, folder] = ['out', 'missing.png', 'empty', 'folder'].map(scratch) as [
  string,
  string,
  string,
  string,
];
const content = {
  title: 'Report',
  subtitle: 'a.png',
  foot: '',
  madeAt: '2026-01-01T00:00:00Z',
  sections: [],
  notes: null,
  images: null,
  pages: [{ heading: 'Page 1', before: 0, after: null, outlines: [] }],
};

beforeAll(async () => {
  const picture = { create: { width: 60, height: 40, channels: 3, background: '#468' } } as const;
  await sharp(picture).png().toFile(image);
  await sharp(picture).png().toFile(scratch('0'));
  const dict = '/Width 120 /Height 90 /ColorSpace/DeviceRGB /BitsPerComponent 8';
  await writeFile(pdf, buildPdf(imagePage({ dict, data: photograph(120, 90).data }, 120, 90)));
  await writeFile(empty, '');
  await mkdir(folder);
});

type Call = (input: Record<string, unknown>) => Promise<unknown>;
const untyped = engine as unknown as Record<string, (...inputs: unknown[]) => Promise<unknown>>;

/** Each public function with a valid input, by the fields that name files. */
const FUNCTIONS: Record<string, { call: Call; valid: Record<string, unknown>; reads?: string; writes?: string }> = {
  enhanceImage: {
    call: untyped['enhanceImage']!,
    valid: { inputPath: image, outputPath: out, parameters: { mode: 'OFF' } },
    reads: 'inputPath',
    writes: 'outputPath',
  },
  previewImage: {
    call: untyped['previewImage']!,
    valid: { inputPath: image, outputPath: out, side: 20 },
    reads: 'inputPath',
    writes: 'outputPath',
  },
  inspectImage: {
    call: ({ inputPath }) => untyped['inspectImage']!(inputPath),
    valid: { inputPath: image },
    reads: 'inputPath',
  },
  analyzePdf: {
    call: untyped['analyzePdf']!,
    valid: { inputPath: pdf, factsPath: out },
    reads: 'inputPath',
    writes: 'factsPath',
  },
  estimatePdf: { call: untyped['estimatePdf']!, valid: { inputPath: pdf }, reads: 'inputPath' },
  enhancePdf: {
    call: untyped['enhancePdf']!,
    valid: { inputPath: pdf, outputPath: out },
    reads: 'inputPath',
    writes: 'outputPath',
  },
  previewPdfPage: {
    call: untyped['previewPdfPage']!,
    valid: { inputPath: pdf, outputPath: out, page: 1, side: 20 },
    reads: 'inputPath',
    writes: 'outputPath',
  },
  writeReport: {
    call: untyped['writeReport']!,
    valid: { content, picturesDir: scratch('.'), outputPath: out },
    writes: 'outputPath',
  },
  findModels: {
    call: ({ best, report, folder: from }) => untyped['findModels']!(best, report, from),
    valid: { best: 'fast', report: () => undefined },
  },
  detectMediaType: {
    call: ({ head }) => untyped['detectMediaType']!(head),
    valid: { head: Buffer.from('%PDF-1.7') },
  },
};
const NAMES = Object.keys(FUNCTIONS);
const READERS = NAMES.filter((name) => FUNCTIONS[name]!.reads !== undefined);
const WRITERS = NAMES.filter((name) => FUNCTIONS[name]!.writes !== undefined);

/** Calls a function with a change of its valid input, and returns its error, which must be one of the engine. */
async function errorOf(name: string, change: Record<string, unknown>): Promise<engine.EngineError> {
  const { call, valid } = FUNCTIONS[name]!;
  const error: unknown = await call({ ...valid, ...change }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(engine.EngineError);
  return error as engine.EngineError;
}

const CALLERS_FAULT = { code: 'BAD_USER_INPUT', retryable: false };

test('all public functions are tried here', () => {
  const functions = Object.entries(engine).filter(([, value]) => typeof value === 'function');
  expect(functions.map(([name]) => name).sort()).toEqual([...NAMES, 'EngineError'].sort());
});

test.each(NAMES)('%s accepts its valid input', async (name) => {
  const { call, valid } = FUNCTIONS[name]!;
  await expect(call(valid)).resolves.not.toBeInstanceOf(Error);
});

describe('a wrong input is an EngineError of the caller', () => {
  test.each(NAMES.flatMap((name) => Object.keys(FUNCTIONS[name]!.valid).map((field) => [name, field] as const)))(
    '%s refuses another type of %s',
    async (name, field) => {
      const error = await errorOf(name, { [field]: 42n });
      expect(error).toMatchObject(CALLERS_FAULT);
      expect([field, undefined]).toContain(error.field);
    },
  );

  test.each([
    'enhanceImage',
    'previewImage',
    'analyzePdf',
    'estimatePdf',
    'enhancePdf',
    'previewPdfPage',
    'writeReport',
  ])('%s refuses an unknown field, and names those that there are', async (name) => {
    const error = await errorOf(name, { output: out });
    expect(error).toMatchObject({ ...CALLERS_FAULT, field: 'output' });
    expect(error.allowed).toEqual(expect.arrayContaining(Object.keys(FUNCTIONS[name]!.valid)));
    expect(error.message).toContain('outputPath' in FUNCTIONS[name]!.valid ? 'outputPath' : 'inputPath');
  });

  test('a function without its input says what it expects', async () => {
    await expect(untyped['enhanceImage']!()).rejects.toMatchObject(CALLERS_FAULT);
    await expect(untyped['enhanceImage']!('in.png', 'out.png')).rejects.toMatchObject(CALLERS_FAULT);
  });

  test('a wrong value of a choice names the values', async () => {
    const error = await errorOf('enhanceImage', { parameters: { upscalingFactor: 'X3' } });
    expect(error).toMatchObject({ ...CALLERS_FAULT, field: 'upscalingFactor', allowed: ['X1', 'X2', 'X4'] });
    expect(error.message).toBe('Field upscalingFactor has the value "X3". Send X1, X2 or X4.');
    expect(await errorOf('findModels', { best: 'best' })).toMatchObject({ allowed: ['fine', 'fast', 'plain'] });
  });

  test.each([
    ['enhanceImage', { sharpening: 1.1 }, 'sharpening'],
    ['enhanceImage', { outputQuality: 0 }, 'outputQuality'],
    ['enhanceImage', { keepMetadata: 'yes' }, 'keepMetadata'],
    ['enhanceImage', { upscale: 'X2' }, 'upscale'],
    ['enhanceImage', { targetResolution: 300 }, 'targetResolution'],
    ['enhanceImage', { fit: 'COVER', targetWidth: 30 }, 'fit'],
    ['enhanceImage', { targetWidthCm: 0.1, targetDpi: 10 }, 'targetWidthCm'],
    ['enhanceImage', { fidelity: 'STRICT' }, 'upscalingFactor'],
    ['enhancePdf', { upscalingFactor: 'X2' }, 'upscalingFactor'],
    ['enhancePdf', { targetResolution: 10 }, 'targetResolution'],
    ['enhancePdf', { customColorConfig: { gamma: 2 } }, 'customColorConfig.gamma'],
    ['enhancePdf', { split: true }, 'split'],
    ['enhancePdf', { pages: { 0: 'ORIGINAL' } }, 'pages.0'],
    ['estimatePdf', { maxGrowth: 0 }, 'maxGrowth'],
  ])('%s refuses the parameters %j', async (name, parameters, field) => {
    expect(await errorOf(name, { parameters })).toMatchObject({ ...CALLERS_FAULT, field });
  });

  test('a parameter that the image cannot have is named', async () => {
    const parameters = { targetWidth: 60_000 };
    expect(await errorOf('enhanceImage', { parameters })).toMatchObject({ ...CALLERS_FAULT, field: 'targetWidth' });
  });

  test('text without a reader of words, and an estimate of nothing', async () => {
    const parameters = { text: true };
    expect(await errorOf('enhancePdf', { parameters })).toMatchObject({ ...CALLERS_FAULT, field: 'readWords' });
    expect(await errorOf('estimatePdf', { inputPath: undefined })).toMatchObject({
      ...CALLERS_FAULT,
      field: 'inputPath',
    });
  });

  test('a page that there is not', async () => {
    expect(await errorOf('previewPdfPage', { page: 0 })).toMatchObject({ ...CALLERS_FAULT, field: 'page' });
    expect(await errorOf('previewPdfPage', { page: 9 })).toMatchObject({ code: 'NOT_FOUND', retryable: false });
  });

  test('facts that are damaged, or of another PDF', async () => {
    const { facts } = await engine.analyzePdf({ inputPath: pdf });
    for (const name of ['estimatePdf', 'enhancePdf']) {
      const other = { ...facts, fileBytes: facts.fileBytes + 1 };
      expect(await errorOf(name, { facts: other })).toMatchObject({ ...CALLERS_FAULT, field: 'facts' });
      expect(await errorOf(name, { facts: { format: 1 } })).toMatchObject({ ...CALLERS_FAULT, field: 'facts' });
      expect(await errorOf(name, { factsPath: image })).toMatchObject({ ...CALLERS_FAULT, field: 'factsPath' });
      expect(await errorOf(name, { factsPath: missing })).toMatchObject({ ...CALLERS_FAULT, field: 'factsPath' });
    }
  });

  test('a report without its picture', async () => {
    expect(await errorOf('writeReport', { picturesDir: folder })).toMatchObject({
      ...CALLERS_FAULT,
      field: 'picturesDir/0',
    });
  });
});

describe('an input file', () => {
  test.each(READERS)('%s refuses one that is missing, a folder, or no file', async (name) => {
    const field = FUNCTIONS[name]!.reads!;
    for (const path of [missing, join(image, 'inside'), folder, `${image}/`, '/dev/zero', 'x'.repeat(300)])
      expect(await errorOf(name, { [field]: path })).toMatchObject({ ...CALLERS_FAULT, field });
    expect((await errorOf(name, { [field]: missing })).message).not.toContain(missing);
  });

  test.each(READERS)('%s blames an empty file', async (name) => {
    const error = await errorOf(name, { [FUNCTIONS[name]!.reads!]: empty });
    expect(['CORRUPT_FILE', 'UNSUPPORTED_MEDIA_TYPE']).toContain(error.code);
    expect(error.retryable).toBe(false);
  });
});

describe('an output file', () => {
  test.each(WRITERS)('%s refuses a missing folder, a file as a folder, and a folder as a file', async (name) => {
    const field = FUNCTIONS[name]!.writes!;
    const impossible = ['none/out', '', 'new/', 'x'.repeat(300)].map((name) => `${folder}/${name}`);
    for (const path of [...impossible, join(image, 'out'), folder])
      expect(await errorOf(name, { [field]: path })).toMatchObject({ ...CALLERS_FAULT, field });
  });

  test.each(WRITERS)('%s refuses to replace its input, also by another name', async (name) => {
    const { reads, writes, valid } = FUNCTIONS[name]!;
    const original = reads === undefined ? scratch('0') : (valid[reads] as string);
    const before = await readFile(original);
    const [linked, pointing] = [scratch(`${name}-link`), scratch(`${name}-symlink`)];
    await link(original, linked);
    await symlink(original, pointing);
    for (const path of [original, linked, pointing])
      expect(await errorOf(name, { [writes!]: path })).toMatchObject({ ...CALLERS_FAULT, field: writes });
    expect(await readFile(original)).toEqual(before);
  });

  test('a folder that this process may not write to', async () => {
    const locked = scratch('locked');
    await mkdir(locked);
    await chmod(locked, 0o555);
    await chmod(scratch('.'), 0o755);
    const source = join(import.meta.dirname, '..', 'src', 'checked', 'check-files.ts');
    // Root may write everywhere. Another user may be unable to read the sources.
    const program = `
      const { checkOutputFile } = await import(${JSON.stringify(source)});
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      await checkOutputFile(${JSON.stringify(join(locked, 'out'))}, []).catch(({ code, field, retryable }) =>
        process.stdout.write(JSON.stringify({ code, field, retryable })));`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const told = execFileSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    });
    expect(JSON.parse(told)).toEqual({ ...CALLERS_FAULT, field: 'outputPath' });
  });
});

describe('another error', () => {
  test('of the machine may be tried again', () => {
    expect(new engine.EngineError('UNAVAILABLE').retryable).toBe(true);
  });

  // Only root may write beside the device.
  testUnless(process.getuid?.() === 0 ? undefined : 'root')('of a full disk is one of the machine', async () => {
    const error = await errorOf('writeReport', { outputPath: '/dev/full' });
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
  });

  test('the reason of the signal stays as it is', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const stop = engine.enhanceImage({
      inputPath: image,
      outputPath: out,
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(stop).rejects.toBe(reason);
  });

  test.each(['enhanceImage', 'enhancePdf', 'analyzePdf'])('an error of onProgress stays as it is: %s', async (name) => {
    const { call, valid } = FUNCTIONS[name]!;
    const own = new Error('mine');
    const onProgress = (): never => {
      throw own;
    };
    await expect(call({ ...valid, onProgress })).rejects.toBe(own);
  });
});
