import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import type { PageWord } from '@burnish/engine/host';
import { createFairLimiter } from '@burnish/jail';
import { findJail } from '../../../src/sandbox/jail.ts';
import { rememberProgram } from '../../../src/sandbox/text/remember-program.ts';
import { findTextProgram, type TextProgram } from '../../../src/sandbox/text/text-program.ts';
import { createTextReader } from '../../../src/sandbox/text/text-reader.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { describeUnless, lackOf } from '../../support/needs.ts';

const jail = findJail();
const find = () => findTextProgram('tesseract', jail);
let folder: TemporaryFolder;
let scan: { path: string; width: number; height: number; resolution: number; upright: boolean };
beforeAll(async () => {
  folder = await temporaryFolder();
  const [width, height] = [1200, 400];
  const path = join(folder.path, 'scan.png');
  const line = (text: string, y: number): string =>
    `<text x="60" y="${y}" font-size="60" font-family="DejaVu Sans, Noto Sans, sans-serif">${text}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${line('Invoice number 4711', 120)}${line('Total amount', 280)}</svg>`;
  await sharp(Buffer.from(svg)).flatten().toColourspace('b-w').png().toFile(path);
  scan = { path, width, height, resolution: 300, upright: true };
});
afterAll(() => folder[Symbol.asyncDispose]());

const options = (more: object = {}) => ({
  account: 'acc',
  languages: 'eng',
  signal: new AbortController().signal,
  ...more,
});

/** A program of the system that behaves as a test says, in the place of Tesseract. */
async function substitute(script: string): Promise<TextProgram> {
  const path = join(folder.path, `program-${Math.random().toString(36).slice(2)}`);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  await writeFile(join(folder.path, 'eng.traineddata'), '');
  const readable = ['/bin', '/usr/bin', '/lib', '/lib64', '/usr/lib', path];
  return { path, version: '5', dataFolder: folder.path, languages: ['eng'], detectsDirection: true, readable };
}

describeUnless(lackOf('tesseract'))('Tesseract in the jail', () => {
  test('reads words with boxes around their ink', async () => {
    const reader = createTextReader({ jail, limiter: createFairLimiter({ atOnce: 1 }), find });
    const words = (await reader.read(scan, options())) as PageWord[];
    expect(words.map(({ text }) => text)).toEqual(['Invoice', 'number', '4711', 'Total', 'amount']);
    const [first] = words;
    expect(Math.abs(first!.left - 66)).toBeLessThan(12);
    expect(Math.abs(first!.top + first!.height - 120)).toBeLessThan(12);
  });

  test('is found with its version and languages', async () => {
    expect(await find()).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/),
      languages: expect.arrayContaining(['eng']),
    });
  });

  test('without a language of the order is machinery', async () => {
    const reader = createTextReader({ jail, limiter: createFairLimiter({ atOnce: 1 }), find });
    const refused = { code: 'UNAVAILABLE', machinery: 'worker', message: expect.stringContaining('language xyz') };
    await expect(reader.read(scan, options({ languages: 'eng+xyz' }))).rejects.toMatchObject(refused);
  });
});

describe('a machine without Tesseract', () => {
  test.each([
    ['/nowhere/tesseract', 'install it'],
    ['no-such-program', 'install it'],
    ['off', 'BURNISH_TESSERACT is `off`'],
    ['/bin/sh', 'BURNISH_TESSERACT'],
  ])('says what to do: %s', async (setting, remedy) => {
    expect(await findTextProgram(setting, jail)).toEqual({ missing: expect.stringContaining(remedy) });
  });

  test('shows none of its secrets to the program that it looks at', async () => {
    await using folder = await temporaryFolder();
    const program = join(folder.path, 'tesseract');
    const told = join(folder.path, 'told');
    const answer = 'case $1 in --version) echo tesseract 5.3.0;; *) printf "in \\"/usr\\" (1):\\neng\\n";; esac';
    await writeFile(program, `#!/bin/sh\n{ echo "$@"; env; } >> ${told}\n${answer}\n`, { mode: 0o755 });
    process.env['BURNISH_CANARY'] = 'a secret of the instance';
    await findTextProgram(program, jail).finally(() => delete process.env['BURNISH_CANARY']);
    const seen = await readFile(told, 'utf8');
    expect(seen.match(/^--(version|list-langs)$/gm)).toEqual(['--version', '--list-langs']);
    expect(seen).not.toContain('CANARY');
  });

  test('makes work wait for another machine', async () => {
    const reader = createTextReader({
      jail,
      limiter: createFairLimiter({ atOnce: 1 }),
      find: () => findTextProgram('/nowhere/tesseract', jail),
    });
    await expect(reader.read(scan, options())).rejects.toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
  });

  test('is looked at again after a while', async () => {
    let [now, looks] = [0, 0];
    const look = rememberProgram(
      async () => ({ missing: String((looks += 1)) }),
      () => now,
    );
    expect([await look(), await look()]).toEqual([{ missing: '1' }, { missing: '1' }]);
    now = 60_000;
    expect(await look()).toEqual({ missing: '2' });
  });
});

describe('a page', () => {
  const answering = (report: string, confidence: number): Promise<TextProgram> =>
    substitute(
      `case "$*" in *"--psm 0"*) ${report};; *) printf '5\\t1\\t1\\t1\\t1\\t1\\t1\\t2\\t3\\t4\\t${confidence}\\tword\\n';; esac`,
    );
  const words = [{ text: 'word', left: 1, top: 2, width: 3, height: 4 }];
  const turned = "printf 'Rotate: 180\\nOrientation confidence: 20.5\\n'";

  test.each([
    ['that is surely upright is read as it lies', true, turned, 20, words],
    ['on its head is named with its turn', false, turned, 90, { direction: 2 }],
    ['of doubtful direction is read if its words are sure', false, 'exit 1', 90, words],
    ['of doubtful direction has no words that are not sure', false, 'exit 1', 20, { direction: 'unknown' }],
  ])('%s', async (_what, upright, report, confidence, expected) => {
    const program = await answering(report, confidence);
    const reader = createTextReader({ jail, limiter: createFairLimiter({ atOnce: 1 }), find: async () => program });
    expect(await reader.read({ ...scan, upright }, options())).toEqual(expected);
  });

  test.each([
    ['on which the program crashes', 'exit 1'],
    ['for which it prints without end', 'while :; do echo word; done'],
  ])('%s stays without words', async (_what, script) => {
    const program = await substitute(script);
    const reader = createTextReader({ jail, limiter: createFairLimiter({ atOnce: 1 }), find: async () => program });
    expect(await reader.read(scan, options())).toBeUndefined();
  });

  test('is not blamed when the program does not run at all', async () => {
    const program = await substitute('exit 1');
    const answers = [program, { missing: 'It does not run.' }];
    const reader = createTextReader({
      jail,
      limiter: createFairLimiter({ atOnce: 1 }),
      find: async () => answers.shift()!,
    });
    await expect(reader.read(scan, options())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'It does not run.',
    });
  });

  test('gives its permit back when its order is cancelled, and takes one of the engine', async () => {
    const program = await substitute('while :; do :; done');
    const limiter = createFairLimiter({ atOnce: 1 });
    const reader = createTextReader({ jail, limiter, find: async () => program });
    const [cancel, other] = [new AbortController(), new AbortController()];
    const hanging = reader.read(scan, options({ signal: cancel.signal }));
    const waiting = reader.read(scan, options({ signal: other.signal, account: 'another' }));
    setTimeout(() => other.abort(new Error('no turn')), 300);
    await expect(waiting).rejects.toThrow('no turn');
    cancel.abort(new Error('cancelled'));
    await expect(hanging).rejects.toThrow('cancelled');
    expect(await limiter.run({ owner: 'acc' }, async () => 'begun')).toBe('begun');
  });
});
