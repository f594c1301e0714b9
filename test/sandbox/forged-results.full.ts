import { mkdir, readdir, truncate, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from '@jest/globals';
import { resolvePdfParameters, type EnhancementParameters } from '@burnish/contract';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { TASK_FILES } from '../../packages/engine/src/tasks/task-files.ts';
import { checkResult, TASK_RESULTS, type ResultCheck } from '../../packages/engine/src/tasks/results.ts';
import { listOfTasks } from './support/list-of-tasks.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';

const scratch = await scratchFolder();
/** Five streams, as the keyword counts them */
const PDF = `%PDF-1.7\n${'1 0 obj<<>>stream\n\nendstream endobj\n'.repeat(5)}\n%%EOF`;
const CHANGED = `${PDF}\nmore`;
for (const name of ['input', 'facts', 'plan']) await writeFile(scratch(name), PDF);
await mkdir(scratch('results'));

const sandbox = createSandbox({
  concurrency: 2,
  tasksUrl: listOfTasks('forging-tasks'),
  files: TASK_FILES,
  results: TASK_RESULTS,
});
afterAll(() => sandbox.close());

const encoded = async (
  format: 'jpeg' | 'png' | 'tiff' | 'webp' | 'avif',
  width = 30,
  height = 20,
  alpha = false,
): Promise<string> => {
  const background = { r: 200, g: 90, b: 20, alpha: 0.5 };
  const blank = sharp({ create: { width, height, channels: alpha ? 4 : 3, background } });
  return (await blank[format]().toBuffer()).toString('latin1');
};

/** Orders of all that a result can have besides its images, and of nothing. */
const ALL: EnhancementParameters = { mode: 'DOCUMENT', split: true, text: true, archive: true, pages: { 2: 'DROP' } };
const NOTHING: EnhancementParameters = {};
let results = 0;
const inputs = (order = ALL) => ({
  parameters: resolvePdfParameters(order),
  inputPath: scratch('input'),
  outputPath: scratch(`output-${(results += 1)}`),
  planPath: scratch('plan'),
  factsPath: scratch('facts'),
  resultsDir: scratch('results'),
  side: 100,
});

/** Checks a result and its file as the parent does after the end of a task. */
async function check(task: string, result: unknown, content?: string, order?: EnhancementParameters): Promise<unknown> {
  const input = inputs(order);
  if (content !== undefined) await writeFile(input.outputPath, content, 'latin1');
  return await checkResult((TASK_RESULTS as unknown as Record<string, ResultCheck>)[task]!, input, result);
}

/** Lets a child report a result and write its file. */
function run(task: string, result: unknown, content?: string): Promise<unknown> {
  return (sandbox.run as (task: string, input: object, options: { account: string }) => Promise<unknown>)(
    task,
    { ...inputs(), result, ...(content !== undefined && { content }) },
    { account: 'one' },
  );
}

const image = {
  mimetype: 'image/jpeg',
  width: 30,
  height: 20,
  frames: 1,
  bitDepth: 8,
  colourSpace: 'rgb',
  hasAlpha: false,
  hasProfile: false,
  orientation: 1,
  notes: [],
};
const enhanced = { mimetype: 'image/jpeg', width: 30, height: 20, steps: [], models: [], fellBack: false, notes: [] };
const FRAMES = { code: 'FIRST_FRAME_USED', frames: 2 };
const ENLARGED = { code: 'ENLARGED', because: null };
const LONG = ['x'.repeat(101)];
const JPEG = await encoded('jpeg');
const WIDE_WEBP = await encoded('webp', 101, 7);
const work = { colorOnly: 1, resizeOnly: 0, both: 2 };
const findings = { pages: 2, images: 5, work, kinds: { PHOTOGRAPH: 3 } };
const none = { colorOnly: 0, resizeOnly: 0, both: 0 };
const assembled = {
  pages: 2,
  textPages: 0,
  turnedPages: 0,
  archived: false,
  images: 5,
  enhanced: 3,
  skipped: [],
  work,
  notes: [],
  uncertain: [],
  split: [1],
  dropped: [],
};
const sizes = { bytes: 1, range: { least: 1, most: 2 } };
const pictures = { full: 2, reduced: 1, unchanged: 0 };
const sixBoth = { colorOnly: 0, resizeOnly: 0, both: 6 };
const unworked = { ...assembled, enhanced: 0, work: none, split: [] };
const tooMany = { ...findings, images: 6, work: { ...none, colorOnly: 6 } };
const shown = {
  number: 10,
  page: 1,
  pages: 1,
  width: 30,
  height: 20,
  resolution: 72,
  after: null,
  outcome: { effect: 'left-alone', because: 'tiny' },
  work: none,
  shown: true,
};
const described = { total: 1, below: 1, work: none, shortfall: null, images: [shown] };
const UNKNOWN = { effect: 'left-alone', because: '<b>' };
const spans = [
  { from: 0, to: 2 },
  { from: 2, to: 3 },
];

describe('a forged result is refused', () => {
  test.each<[string, string, unknown, string?, EnhancementParameters?]>([
    ['nothing', 'inspect-image', undefined],
    ['a negative size', 'inspect-image', { ...image, width: -1 }],
    ['half a pixel', 'inspect-image', { ...image, height: 0.5 }],
    ['more pixels than the limit', 'inspect-image', { ...image, width: 100_000, height: 100_000 }],
    ['a size that is text', 'inspect-image', { ...image, width: '30' }],
    ['notes without end', 'inspect-image', { ...image, notes: Array(61).fill(FRAMES) }],
    ['a note with text of its own', 'inspect-image', { ...image, notes: ['<b>'] }],
    ['a note with an unknown code', 'inspect-image', { ...image, notes: [{ code: '<b>' }] }],
    ['a note on another kind of file', 'inspect-image', { ...image, notes: [{ code: 'STRUCTURE_REPAIRED' }] }],
    ['a note without its figure', 'inspect-image', { ...image, notes: [{ code: 'FIRST_FRAME_USED' }] }],
    ['a note with text for a figure', 'inspect-image', { ...image, notes: [{ ...FRAMES, frames: '<b>' }] }],
    [
      'a note that names a network at length',
      'enhance-image',
      { ...enhanced, notes: [{ ...ENLARGED, by: LONG }] },
      JPEG,
    ],
    [
      'a note that lists pages without end',
      'assemble-pdf',
      { ...assembled, notes: [{ code: 'PAGES_KEPT', pages: { first: Array(11).fill(1), count: 11 } }] },
      PDF,
    ],
    [
      'an unknown reason for unchanged images',
      'assemble-pdf',
      { ...assembled, skipped: [{ reason: '<b>', count: 1 }] },
      PDF,
    ],
    ['an unknown type', 'enhance-image', { ...enhanced, mimetype: 'text/html' }, JPEG],
    ['a type that the file does not have', 'enhance-image', { ...enhanced, mimetype: 'image/png' }, JPEG],
    ['a picture that ends before its size', 'enhance-image', enhanced, JPEG.slice(0, 20)],
    ['a preview above the size that was asked for', 'preview-image', undefined, WIDE_WEBP],
    ['a file of no type', 'enhance-image', enhanced, '<script>'],
    ['an analysis with negative work', 'analyze-pdf', { ...findings, work: { ...work, both: -2 } }],
    ['an analysis with more work than images', 'analyze-pdf', { ...findings, images: 2 }],
    ['an analysis without counts', 'analyze-pdf', { work }],
    ['more images than bytes', 'analyze-pdf', { ...findings, images: 10_000, work: none }],
    ['more eligible images than streams', 'analyze-pdf', tooMany],
    ['an estimate of more images than streams', 'estimate-pdf', { work: sixBoth, ...sizes, pictures }],
    ['an estimate with negative work', 'estimate-pdf', { work: { ...work, both: -2 }, ...sizes, pictures }],
    ['a reversed range', 'estimate-pdf', { work, bytes: 1, range: { least: 2, most: 1 }, pictures }],
    ['more pictures than work', 'estimate-pdf', { work, ...sizes, pictures: { ...pictures, full: 3 } }],
    ['negative work', 'enhance-or-plan-pdf', { ...assembled, work: { ...work, both: -9 } }, PDF],
    ['changed images without work', 'enhance-or-plan-pdf', { ...assembled, work: none }, PDF],
    ['paid work that no order has paid', 'enhance-or-plan-pdf', { ...assembled, work: none, paid: work }, PDF],
    ['the same in an estimate', 'estimate-pdf', { work: none, paid: work, ...sizes, pictures }],
    ['work on more images than streams', 'enhance-or-plan-pdf', { ...assembled, work: sixBoth }, CHANGED],
    ['a split page that the original lacks', 'assemble-pdf', { ...assembled, split: [3] }, PDF],
    ['a page that is split twice', 'assemble-pdf', { ...assembled, split: [1, 1] }, PDF],
    ['more split pages than changed images', 'assemble-pdf', { ...assembled, enhanced: 1, split: [1, 2] }, PDF],
    ['text that nobody has read', 'enhance-or-plan-pdf', { ...unworked, textPages: 1 }, CHANGED],
    ['an archive that nobody ordered', 'enhance-or-plan-pdf', { ...unworked, archived: true }, CHANGED, NOTHING],
    ['the same of spans', 'assemble-pdf', { ...unworked, archived: true }, CHANGED, NOTHING],
    ['a page that turned without an order', 'enhance-or-plan-pdf', { ...unworked, turnedPages: 1 }, CHANGED, NOTHING],
    ['the same of spans', 'assemble-pdf', { ...unworked, turnedPages: 1 }, CHANGED, NOTHING],
    ['a page that was split without an order', 'assemble-pdf', assembled, CHANGED, { mode: 'DOCUMENT' }],
    ['a dropped page that nobody ordered', 'enhance-or-plan-pdf', { ...unworked, dropped: [1] }, CHANGED],
    ['the same of spans', 'assemble-pdf', { ...unworked, dropped: [1] }, CHANGED],
    ['text on more pages than were read', 'assemble-pdf', { ...unworked, textPages: 1 }, CHANGED],
    ['the same of assembled spans', 'assemble-pdf', { ...assembled, work: sixBoth }, CHANGED],
    ['a smaller file without work', 'enhance-or-plan-pdf', unworked, PDF.replace('endobj', '')],
    ['another file of the same size without work', 'assemble-pdf', unworked, PDF.replace('1 0 obj', '2 0 obj')],
    ['an update without work', 'enhance-or-plan-pdf', unworked, CHANGED],
    ['a PDF that is a page of HTML', 'enhance-or-plan-pdf', assembled, '<html>'],
    ['spans that leave images out', 'enhance-or-plan-pdf', { images: 4, spans }],
    [
      'spans without end',
      'enhance-or-plan-pdf',
      { images: 1e6, spans: Array.from({ length: 1e4 }, (_, i) => ({ from: i * 100, to: i * 100 + 100 })) },
    ],
    ['a PDF without bytes', 'assemble-pdf', assembled, ''],
    ['a preview that is text', 'preview-image', undefined, 'text'],
    ['a list without images', 'list-pdf-images', { total: 3 }],
    ['a report with text of its own', 'describe-pdf-images', { ...described, images: [{ ...shown, outcome: '<b>' }] }],
    [
      'a report with an unknown reason',
      'describe-pdf-images',
      { ...described, images: [{ ...shown, outcome: UNKNOWN }] },
    ],
    ['a page without a size', 'list-pdf-pages', { total: 1, pages: [{ page: 1, images: [] }] }],
  ])('%s (%s)', async (...[, task, result, content, order]) => {
    await expect(check(task, result, content, order)).rejects.toThrow();
  });
});

describe('a compromised decoder whose result is refused costs its file', () => {
  test.each<[string, string, unknown, string?]>([
    ['a negative size', 'inspect-image', { ...image, width: -1 }],
    ['a missing file', 'enhance-image', enhanced],
    ['a file of another type', 'enhance-image', enhanced, '<script>'],
    ['a file of another size', 'enhance-image', { ...enhanced, width: 31 }, JPEG],
    ['changed images without work', 'enhance-or-plan-pdf', { ...assembled, work: none }, PDF],
  ])('%s (%s)', async (...[, task, result, content]) => {
    await expect(run(task, result, content)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });
});

test('an estimate from facts has at most as many images as the file has room for', async () => {
  const planned = (images: number) => ({
    work: { ...none, resizeOnly: images },
    ...sizes,
    pictures,
  });
  const ofFacts = (images: number, fileBytes: number): Promise<unknown> =>
    checkResult(TASK_RESULTS['estimate-pdf'], { factsPath: scratch('facts'), fileBytes }, planned(images));
  expect(await ofFacts(5, Buffer.byteLength(PDF))).toEqual(planned(5));
  await expect(ofFacts(7, Buffer.byteLength(PDF))).rejects.toThrow('not possible');
  await expect(ofFacts(1_000_000, 20_000)).rejects.toThrow('not possible');
});

test('facts of a PDF are not as large as a decoder likes', async () => {
  const factsPath = scratch('endless-facts');
  await writeFile(factsPath, '');
  const analyzed = (): Promise<unknown> =>
    checkResult(TASK_RESULTS['analyze-pdf'], { inputPath: scratch('input'), factsPath }, findings);
  expect(await analyzed()).toEqual(findings);
  await truncate(factsPath, 2 ** 30);
  await expect(analyzed()).rejects.toThrow('not possible');
});

test('a part of a PDF has the images that it was asked for, and no other file of the decoder', async () => {
  const outputDir = scratch('span');
  await mkdir(outputDir);
  const paths = { inputPath: scratch('input'), planPath: scratch('plan'), outputDir };
  await sandbox.run('enhance-pdf-span', { ...paths, images: [3, 4, 6] }, { account: 'one' });
  expect((await readdir(outputDir)).sort()).toEqual(['3', '4']);
});

describe('the size of a result is that of its file', () => {
  const FORMATS = [
    ['image/jpeg', 'jpeg'],
    ['image/png', 'png'],
    ['image/tiff', 'tiff'],
    ['image/webp', 'webp'],
    ['image/avif', 'avif'],
  ] as const;

  test.each(FORMATS)('%s', async (mimetype, format) => {
    for (const [width, height, alpha] of [
      [30, 20, false],
      [33, 21, true],
      [1, 301, false],
    ] as const) {
      const content = await encoded(format, width, height, alpha);
      const honest = { ...enhanced, mimetype, width, height };
      expect(await check('enhance-image', honest, content)).toEqual(honest);
      for (const forged of [{ width: width + 1 }, { height: height * 2 }]) {
        const refused = check('enhance-image', { ...honest, ...forged }, content);
        await expect(refused).rejects.toThrow('not possible');
      }
    }
  });
});

describe('a possible result is accepted, without unknown fields', () => {
  test.each<[string, unknown, string?]>([
    ['inspect-image', image],
    ['enhance-image', enhanced, JPEG],
    ['analyze-pdf', findings],
    ['estimate-pdf', { work, ...sizes, pictures }],
    ['enhance-or-plan-pdf', assembled, CHANGED],
    ['enhance-or-plan-pdf', unworked, PDF],
    ['enhance-or-plan-pdf', { images: 3, spans }],
    ['assemble-pdf', { ...unworked, dropped: [2], archived: true, turnedPages: 1 }, CHANGED],
    ['assemble-pdf', assembled, CHANGED],
    ['list-pdf-images', { total: 0, images: [] }],
    ['describe-pdf-images', described],
  ])('%s', async (...[task, result, content]) => {
    expect(await run(task, { ...(result as object), extra: 'x' }, content)).toEqual(result);
  });
});
