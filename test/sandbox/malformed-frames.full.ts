import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  IMAGE_KIND_NAMES,
  KIND_REASON_NAMES,
  MAX_LISTED_AREAS,
  MAX_LISTED_PDF_IMAGES,
  MAX_LISTED_PDF_PAGES,
} from '@burnish/contract';
import { frameReader } from '../../packages/jail/src/channel/frames.ts';
import { EXPENSIVE, encode } from '../../packages/jail/test/malformed.ts';
import { createSandbox, messageReaders } from '../../src/sandbox/sandbox.ts';
import { pageList, pdfImages } from '../../packages/engine/src/tasks/output-schemas.ts';
import { LIST_LIMITS } from '../../packages/engine/src/tasks/results.ts';
import { listOfTasks } from './support/list-of-tasks.ts';

const tasksUrl = listOfTasks('speaking-tasks');
type Run = (task: string, input: object, options: { account: string }) => Promise<Record<string, unknown>>;
const ONE = { account: 'one' };

const ENOUGH_FOR_512_MB = { raw: 'a'.repeat(1024 ** 2), times: 512 };
const PROGRESS = { step: 'tone', fraction: 0.5 };

describe('a compromised decoder that sends', () => {
  test.each<[string, object]>([
    ['text that is no frame', { raw: 'garbage\n' }],
    ['512 MB without a newline', ENOUGH_FOR_512_MB],
    ['a failure without a code', { frames: [{ type: 'failed', failure: {} }] }],
    ['progress without end', { frames: [{ type: 'progress', progress: PROGRESS }], times: 100_000 }],
    ['a second start', { frames: [{ type: 'ready' }] }],
    ['a result of another task', { frames: [{ type: 'done', id: randomUUID(), output: {} }] }],
    ['progress of another task', { frames: [{ type: 'progress', id: randomUUID(), progress: PROGRESS }] }],
    ...EXPENSIVE.map(([name, text]): [string, object] => [name, { text }]),
  ])('%s costs its file, and no other', async (_, speech) => {
    const sandbox = createSandbox({ concurrency: 1, tasksUrl });
    const run = sandbox.run as unknown as Run;
    try {
      await expect(run('speak', speech, ONE)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
      expect(await run('echo', { still: 'here' }, ONE)).toEqual({ still: 'here' });
    } finally {
      await sandbox.close();
    }
  });
});

test('a second result of a task is never that of the next task', async () => {
  const sandbox = createSandbox({ concurrency: 1, tasksUrl });
  const run = sandbox.run as unknown as Run;
  try {
    expect(await run('speak', { frames: [{ type: 'done', output: { early: true } }] }, ONE)).toEqual({ early: true });
    expect(await run('echo', { still: 'here' }, ONE)).toEqual({ still: 'here' });
  } finally {
    await sandbox.close();
  }
});

describe('the longest list', () => {
  const third = 1 / 3;
  const area = { number: 1_000_000, left: third, top: third, width: third, height: third };
  const shown = { number: 1_000_000, page: 5_000, pages: 5_000, width: 100_000, height: 100_000, resolution: third };
  test.each([
    [
      'pages',
      pageList,
      {
        total: 1_000_000,
        pages: Array.from({ length: MAX_LISTED_PDF_PAGES }, () => ({
          ...{ page: 5_000, width: third, height: third },
          images: Array(MAX_LISTED_AREAS / MAX_LISTED_PDF_PAGES).fill(area),
        })),
      },
    ],
    [
      'images',
      pdfImages,
      {
        total: 1_000_000,
        images: Array(MAX_LISTED_PDF_IMAGES).fill({
          ...shown,
          kind: IMAGE_KIND_NAMES[0],
          kindReason: KIND_REASON_NAMES[0],
        }),
      },
    ],
  ])('of %s fits into its frame', (_, schema, output) => {
    const message = { type: 'done', id: randomUUID(), output };
    const read: unknown[] = [];
    frameReader(
      (value) => read.push(value),
      () => LIST_LIMITS,
    )(encode(message));
    expect(read).toEqual([message]);
    expect(schema.safeParse(output).success).toBe(true);
  });
});

describe('a failure that a decoder describes', () => {
  test('keeps its code, sentence and field, and its cause for logs', () => {
    const cause = new Error('hidden');
    const described = { code: 'UNAVAILABLE', detail: 'The disk is full.', field: 'file' };
    expect(messageReaders.failure(described, cause)).toMatchObject({
      ...{ code: 'UNAVAILABLE', machinery: 'disk', message: 'The disk is full.', field: 'file' },
      cause,
    });
  });

  test.each<[string, object]>([
    ['a code of another part', { code: 'UNAUTHENTICATED' }],
    ['a code of no task', { code: 'BAD_USER_INPUT' }],
    ['a long sentence', { code: 'INTERNAL', detail: 'x'.repeat(5000) }],
    ['no code', {}],
  ])('is refused with %s', (_, described) => {
    expect(() => messageReaders.failure(described, undefined)).toThrow();
  });
});
