import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { SEED_PLANS } from '@burnish/contract';
import { createLocalProvider } from '../../src/activities/provider/local.ts';
import type { Watch } from '../../src/activities/heartbeat.ts';
import { workKey } from '../../src/domain/files/object-keys.ts';
import {
  CLOCKS,
  HEARTBEAT_LEAST_MS,
  TASK_STARVED_MS,
  TASK_WALL_FACTOR,
  getTimeouts,
  type ActivityClocks,
} from '../../src/domain/temporal/timeouts.ts';
import type { RunOptions, Sandbox } from '../../src/sandbox/sandbox.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import type { SourceFile } from '../../src/activities/inputs/schemas.ts';

const CLASSES = Object.entries<ActivityClocks>(CLOCKS);

test.each(CLASSES)('the outer clock of %s runs for longer than its inner clock', (_name, clocks) => {
  expect(clocks.startToCloseMs).toBeGreaterThan(clocks.innerMs);
});

test.each(CLASSES.filter(([, { heartbeatMs }]) => heartbeatMs !== null))(
  'the heartbeat timeout of %s spans several heartbeats, and is shorter than the outer clock',
  (_name, { heartbeatMs, startToCloseMs }) => {
    expect(heartbeatMs).toBeGreaterThan(3 * HEARTBEAT_LEAST_MS);
    expect(heartbeatMs).toBeLessThan(startToCloseMs);
  },
);

/** The sandbox of these tests never opens it: only its header is read. */
const smallPicture = fileURLToPath(new URL('../../docs/images/before-after.jpg', import.meta.url));

/** Limits of CPU time that one call of the provider sets for its tasks in the sandbox, milliseconds. */
async function sandboxClocks(
  mimetype: SourceFile['mimetype'],
  call: 'inspect' | 'inspectQuickly' | 'analyze' | 'estimate' | 'enhance' | 'enhanceSpan' | 'assemble',
) {
  const clocks: number[] = [];
  const seen = new Error('The task reached the sandbox.');
  const sandbox = {
    run: (_task: string, _input: unknown, options?: RunOptions) => {
      clocks.push(options?.cpuMs ?? Infinity);
      return Promise.reject(seen);
    },
  } as unknown as Sandbox;
  const store = {
    head: () => Promise.resolve(undefined),
    withLocalFile: (_key: string, use: (path: string) => Promise<unknown>) => use(smallPicture),
  } as unknown as ObjectStore;
  const provider = createLocalProvider({ sandbox, store, scratchDir: tmpdir(), engineVersion: 'test' });
  const source: SourceFile = {
    uploadId: 'upl_1',
    objectKey: 'a/b',
    originalFilename: 'a',
    mimetype,
    size: 1,
    sha256: '',
  };
  const watch: Watch = { signal: new AbortController().signal, onProgress: () => {} };
  const job = {
    source,
    parameters: {},
    plan: SEED_PLANS.FREE,
    enhancementId: 'enh_1',
    resultKey: 'a/c',
    workKey: workKey('a/c', '0'.repeat(16)),
  } as const;
  await expect(provider[call]({ ...source, ...job, images: 0, from: 0, to: 1 }, watch)).rejects.toBe(seen);
  return clocks;
}

test.each([
  ['inspectImage', 'inspectQuickly', 'image/jpeg'],
  ['inspectLargeImage', 'inspect', 'image/png'],
  ['analyze', 'analyze', 'application/pdf'],
  ['estimate', 'estimate', 'application/pdf'],
  ['enhance', 'enhance', 'image/png'],
  ['enhance', 'enhance', 'application/pdf'],
  ['enhancePdfSpan', 'enhanceSpan', 'application/pdf'],
  ['assemblePdf', 'assemble', 'application/pdf'],
] as const)(
  'a task of %s that loops or starves in the sandbox ends before its activity (%s, %s)',
  async (work, call, mimetype) => {
    const [clock, ...others] = await sandboxClocks(mimetype, call);
    expect(others).toEqual([]);
    // The sandbox runs a task once more if its child process dies.
    const wallMs = Math.max(TASK_STARVED_MS, TASK_WALL_FACTOR * clock!);
    expect(2 * wallMs).toBeLessThan(getTimeouts(work).startToCloseTimeout);
  },
);
