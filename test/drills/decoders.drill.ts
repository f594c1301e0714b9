import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { UploadRecord } from '../e2e/api.ts';
import { pdfWithPhoto, photo, picture } from '../e2e/files.ts';
import { type Instance, startInstance } from '../e2e/instance.ts';
import { decoders } from '../support/decoders.ts';
import { until } from '../support/until.ts';

/** An enlargement by four with noise reduction keeps a core busy for seconds. */
const SLOW_ORDER = { mode: 'ENHANCE', upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO' };
const slowPhoto = (): Promise<Buffer> => picture(1600, 1200, { seed: 1 }).jpeg({ quality: 85 }).toBuffer();
/** Shorter than the start of a decoder, so that no new one escapes; milliseconds. */
const LOOK_MS = 20;

/** Does something to every decoder of an instance, also to each new one, until it is told to end. */
function toEveryDecoder({ pid }: Instance, act: (decoder: number) => Promise<void> | void): () => Promise<number[]> {
  const reached = new Set<number>();
  let going = true;
  const loop = (async () => {
    for (; going; await pause(LOOK_MS)) {
      for (const each of decoders(pid).filter((decoder) => !reached.has(decoder))) {
        await act(each);
        reached.add(each);
      }
    }
    return [...reached];
  })();
  return () => {
    going = false;
    return loop;
  };
}

/** A photograph in enhancement, and a photograph and a PDF that arrive while `begin` has every decoder in its hands. */
async function underWork(instance: Instance, begin: () => void): Promise<string[]> {
  const { api } = instance;
  const send = async (file: Buffer, order: object): Promise<UploadRecord> => {
    const { status, body } = await api.upload(file, { enhancements: [order] });
    expect(status).toBe(202);
    return body;
  };
  const first = await send(await slowPhoto(), SLOW_ORDER);
  await api.reached(first.enhancements[0]!.id, 'PROCESSING');
  begin();
  const later = [await send(await photo(2), { upscalingFactor: 'X4' }), await send(await pdfWithPhoto(), {})];
  return [first, ...later].map(({ id }) => id);
}

/** No record blames its file, and each original is in storage. @returns parts that the records wait for */
async function expectNoBlame({ api, dataDir }: Instance, ids: readonly string[]): Promise<unknown[]> {
  const files = await readdir(join(dataDir, 'files'), { recursive: true });
  const waits: unknown[] = [];
  for (const id of ids) {
    const { body } = await api.get<UploadRecord>(`/v1/uploads/${id}`);
    expect(body).toMatchObject({ errorCode: null });
    expect(body.status).not.toBe('UPLOAD_FAILED');
    expect(body.subStatus).not.toBe('METADATA_ANALYZED_FAILED');
    expect(body.enhancements.filter(({ status }) => status === 'ERROR')).toEqual([]);
    expect(files.filter((path) => path.includes(id) && path.endsWith('original.object'))).toHaveLength(1);
    waits.push(body.waitingFor, ...body.enhancements.map(({ waitingFor }) => waitingFor));
  }
  return waits;
}

async function expectAllFinished({ api }: Instance, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status, enhancements } = await api.settled(id);
    expect([status, enhancements[0]?.status]).toEqual(['UPLOAD_FINISHED', 'FINISHED']);
  }
  const charged = await Promise.all(ids.map(async (id) => (await api.settled(id)).enhancements[0]!.chargedCredits!));
  expect(await api.credits()).toMatchObject({ reserved: 0, used: charged.reduce((sum, each) => sum + each) });
}

/** A control group for memory (cgroup v1 or v2) that kills what needs more than a few megabytes. Needs root. */
async function smallGroup() {
  const old = '/sys/fs/cgroup/memory';
  const isOld = (await readdir(old).catch(() => [])).length > 0;
  const group = join(isOld ? old : '/sys/fs/cgroup', `burnish-drill-${process.pid}`);
  await mkdir(group);
  await writeFile(join(group, isOld ? 'memory.limit_in_bytes' : 'memory.max'), '8000000');
  return {
    /** A process that has ended since cannot enter */
    enter: (pid: number) => writeFile(join(group, 'cgroup.procs'), String(pid)).catch(() => undefined),
    async kills(): Promise<number> {
      const facts = await readFile(join(group, isOld ? 'memory.oom_control' : 'memory.events'), 'utf8');
      return Number(/^oom_kill (\d+)$/m.exec(facts)![1]);
    },
    async open(): Promise<void> {
      await writeFile(join(group, isOld ? 'memory.limit_in_bytes' : 'memory.max'), isOld ? '-1' : 'max');
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await until(() =>
        rmdir(group).then(
          () => true,
          () => undefined,
        ),
      );
    },
  };
}

test('decoders that the kernel ends again and again for lack of memory fail no file, and all work finishes afterwards', async () => {
  await using group = await smallGroup();
  await using instance = await startInstance();
  let end = (): Promise<number[]> => Promise.resolve([]);
  const ids = await underWork(instance, () => {
    end = toEveryDecoder(instance, (pid) => group.enter(pid));
  });
  await until(async () => ((await expectNoBlame(instance, ids)).includes('memory') ? true : undefined));
  // One task survives one death of its decoder, so more than two prove that none was charged to a file.
  expect(await group.kills()).toBeGreaterThan(2);
  await end();
  await group.open();
  await expectAllFinished(instance, ids);
  expect(await instance.stop()).toBe(0);
}, 600_000);
