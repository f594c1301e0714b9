import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { scratchFolder } from '../../packages/engine/test/support/files.ts';
import { buildPdf, imagePage } from '../../packages/pdf/test/build-pdf.ts';
import { endured, nestedForms, refused } from '../../packages/engine/test/pdf/hostile-files.ts';
import { jpegImage, photograph } from '../../packages/engine/test/pdf/pictures.ts';
import { parametersOf } from '../../packages/engine/test/pdf/support.ts';

const scratch = await scratchFolder();
const sandbox = createSandbox({ concurrency: 1, memoryLimitBytes: 700_000_000 });
afterAll(() => sandbox.close());

/** Far more than any of these takes, on a busy machine too, and less than what a test may take: a case that needs it fails by its sentence. */
const cpuMs = 150_000;
jest.setTimeout(180_000);

async function analyze(bytes: Buffer) {
  const inputPath = scratch('hostile.pdf');
  writeFileSync(inputPath, bytes);
  return sandbox.run('analyze-pdf', { inputPath, factsPath: scratch('facts') }, { account: 'one', cpuMs });
}

describe('a hostile PDF fails with the code of its limit', () => {
  it.each(refused)('%s', async (_, make, code, sentence) => {
    await expect(analyze(make())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(sentence) as unknown as string,
    });
  });
});

it('an enhancement has the limits of the analysis', async () => {
  writeFileSync(scratch('nested.pdf'), nestedForms());
  const input = {
    inputPath: scratch('nested.pdf'),
    outputPath: scratch('nested.out.pdf'),
    planPath: scratch('nested.plan'),
    parameters: parametersOf(),
  };
  const run = sandbox.run('enhance-or-plan-pdf', input, { account: 'one', cpuMs: 10_000 });
  await expect(run).rejects.toMatchObject({
    code: 'PROCESSING_LIMIT',
    message: expect.stringContaining('500,000 uses of forms on one page') as unknown as string,
  });
});

describe('an unusual PDF is read to its end', () => {
  it.each(endured)('%s', async (_, make, expected) => {
    expect(await analyze(make())).toMatchObject(expected);
  });
});

it('a JPEG that claims 4 gigapixels is left unchanged, and the rest of the file is enhanced', async () => {
  const photo = await jpegImage(photograph(100, 100));
  const data = Buffer.from(photo.data);
  const frame = data.indexOf(Buffer.from([0xff, 0xc0]));
  data.writeUInt16BE(65_500, frame + 5);
  data.writeUInt16BE(65_500, frame + 7);
  writeFileSync(scratch('pixels.pdf'), buildPdf(imagePage({ ...photo, data }, 9, 9)));
  const input = {
    inputPath: scratch('pixels.pdf'),
    outputPath: scratch('pixels.out.pdf'),
    planPath: scratch('pixels.plan'),
    parameters: parametersOf(),
  };
  expect(await sandbox.run('enhance-or-plan-pdf', input, { account: 'one', cpuMs })).toMatchObject({
    enhanced: 0,
    skipped: [{ reason: 'too-large', count: 1 }],
  });
});

it('more pixels than the limit of all results give TOO_MANY_PIXELS before decoding', async () => {
  const eligible = Array.from({ length: 2000 }, (_, i) => ({
    number: i + 1,
    width: 10_000,
    height: 10_000,
    resolution: 1,
    color: false,
    shows: { kind: 'PHOTOGRAPH', reason: 'natural' } as const,
    maxSide: 65_500,
    maxPixels: 250_000_000,
    coding: 'lossless' as const,
    bytes: 1,
    drawnOn: [1],
  }));
  const facts = {
    format: 10 as const,
    fileBytes: 1,
    pages: 1,
    images: 2000,
    eligible,
    bilevel: [],
    leftAlone: [],
    signed: false,
    rebuilt: false,
  };
  writeFileSync(scratch('none.pdf'), '%PDF-1.7');
  const run = sandbox.run(
    'estimate-pdf',
    { inputPath: scratch('none.pdf'), parameters: parametersOf(), facts },
    { account: 'one', cpuMs },
  );
  await expect(run).rejects.toMatchObject({ code: 'TOO_MANY_PIXELS' });
});
