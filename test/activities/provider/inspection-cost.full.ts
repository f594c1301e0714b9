import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Failure, type MediaType } from '@burnish/contract';
import { createLocalProvider } from '../../../src/activities/provider/local.ts';
import type { SourceFile } from '../../../src/activities/inputs/schemas.ts';
import { TASK_CPU_MS } from '../../../src/domain/temporal/timeouts.ts';
import { estimateInspectionMs } from '../../../packages/engine/src/image-header.ts';
import type { RunOptions, Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => (folder = await temporaryFolder()));
afterAll(async () => await folder[Symbol.asyncDispose]());

const flat = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#468' } });
const WIDE = 1200;
const HIGH = 1000;

async function fileOf(bytes: Buffer): Promise<string> {
  const path = join(folder.path, String(Math.random()));
  await writeFile(path, bytes);
  return path;
}

/** A PNG that claims another size, and another order of its rows. */
async function claim(width: number, height: number, interlaced: boolean): Promise<string> {
  const bytes = await flat(10, 10).png().toBuffer();
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt8(interlaced ? 1 : 0, 28);
  return fileOf(bytes);
}

describe('the estimate of an inspection', () => {
  test.each([
    ['image/jpeg', () => flat(WIDE, HIGH).jpeg()],
    ['image/png', () => flat(WIDE, HIGH).png()],
    ['image/webp', () => flat(WIDE, HIGH).webp()],
    ['image/avif', () => flat(WIDE, HIGH).avif({ effort: 0 })],
    ['image/tiff', () => flat(WIDE, HIGH).tiff()],
    ['image/gif', () => flat(WIDE, HIGH).gif()],
  ] as const)('reads the size of %s from its header, and grows with the pixels', async (type, make) => {
    const path = await fileOf(await make().toBuffer());
    const ms = await estimateInspectionMs(path, type);
    // Between 5 and 150 nanoseconds for each pixel
    expect(ms).toBeGreaterThan((WIDE * HIGH * 5) / 1e6);
    expect(ms).toBeLessThan((WIDE * HIGH * 150) / 1e6);
  });

  test('is larger for a progressive JPEG and an interlaced PNG', async () => {
    const [plain, progressive] = await Promise.all(
      [false, true].map(async (each) => fileOf(await flat(WIDE, HIGH).jpeg({ progressive: each }).toBuffer())),
    );
    expect(await estimateInspectionMs(progressive!, 'image/jpeg')).toBeGreaterThan(
      await estimateInspectionMs(plain!, 'image/jpeg'),
    );
    expect(await estimateInspectionMs(await claim(9_000, 9_000, true), 'image/png')).toBeGreaterThan(
      await estimateInspectionMs(await claim(9_000, 9_000, false), 'image/png'),
    );
  });

  test('is nothing over the limit of pixels, and without bound for a header that cannot be read', async () => {
    expect(await estimateInspectionMs(await claim(90_000, 90_000, true), 'image/png')).toBe(0);
    expect(await estimateInspectionMs(await fileOf(Buffer.alloc(30_000)), 'image/webp')).toBe(Infinity);
  });
});

describe('a quick inspection', () => {
  /** @param run in place of the sandbox @returns the outcome, and the limits of CPU time that the sandbox got */
  async function inspectQuickly(path: string, mimetype: MediaType, run: () => Promise<unknown>) {
    const limits: (number | undefined)[] = [];
    const sandbox = {
      run: (_task: string, _input: unknown, { cpuMs }: RunOptions) => (limits.push(cpuMs), run()),
    } as unknown as Sandbox;
    const store = {
      withLocalFile: (_key: string, use: (local: string) => Promise<unknown>) => use(path),
    } as unknown as ObjectStore;
    const provider = createLocalProvider({ sandbox, store, scratchDir: folder.path, engineVersion: 'test' });
    const source: SourceFile = {
      uploadId: 'upl_1',
      objectKey: 'a/b',
      originalFilename: 'a',
      mimetype,
      size: 1,
      sha256: '',
    };
    const watch = { signal: new AbortController().signal, onProgress: () => undefined };
    const outcome = await provider.inspectQuickly(source, watch).catch((error: unknown) => error);
    return { outcome, limits };
  }
  const facts = { width: 1, height: 2, hasAlpha: false, notes: [] };

  test('of a photograph runs with seconds of CPU time', async () => {
    const path = await claim(4_000, 3_000, false);
    expect(await inspectQuickly(path, 'image/png', () => Promise.resolve(facts))).toEqual({
      outcome: facts,
      limits: [TASK_CPU_MS.inspectImage],
    });
  });

  test('of an image that is large by its header takes no place', async () => {
    const path = await claim(10_000, 10_000, true);
    expect(await inspectQuickly(path, 'image/png', () => Promise.resolve(facts))).toEqual({
      outcome: null,
      limits: [],
    });
  });

  test('of an image whose header lies ends as that of a large one', async () => {
    const path = await claim(100, 100, false);
    const over = () => Promise.reject(new Failure('PROCESSING_LIMIT'));
    expect(await inspectQuickly(path, 'image/png', over)).toMatchObject({ outcome: null });
  });

  test('of a damaged image fails at once', async () => {
    const path = await claim(100, 100, false);
    const damaged = new Failure('CORRUPT_FILE');
    expect(await inspectQuickly(path, 'image/png', () => Promise.reject(damaged))).toMatchObject({ outcome: damaged });
  });
});
