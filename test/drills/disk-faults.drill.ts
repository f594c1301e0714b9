import { execFileSync } from 'node:child_process';
import { cp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer, Problem } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import { type Instance, startInstance } from '../e2e/instance.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const FAULT_MS = 3_000;
/** Numbers of Linux's errors */
const ERRORS = { EIO: '5', EROFS: '30' };

let tools: TemporaryFolder;
let faultyDisk: string;
beforeAll(async () => {
  tools = await temporaryFolder();
  faultyDisk = join(tools.path, 'faulty-disk');
  const source = fileURLToPath(new URL('./hostile/faulty-disk.c', import.meta.url));
  execFileSync('cc', ['-Wall', '-Werror', '-O1', '-o', faultyDisk, source]);
});
afterAll(() => tools[Symbol.asyncDispose]());

interface Load {
  accepted: string[];
  refused: Answer<Problem>[];
  /** Statuses of `/healthz` in the order in which they changed */
  health: number[];
  end(): Promise<void>;
}

/** Sends an upload with an order again and again, and asks for the health of the instance. */
function load({ api, url }: Instance): Load {
  const accepted: string[] = [];
  const refused: Answer<Problem>[] = [];
  const health: number[] = [];
  let going = true;
  const uploads = (async () => {
    for (let number = 1; going; number += 1) {
      const answer = await api.upload(await photo(number), { enhancements: [{}] });
      if (answer.status === 202) accepted.push(answer.body.id);
      else refused.push(answer as unknown as Answer<Problem>);
      await pause(200);
    }
  })();
  const probes = (async () => {
    for (; going; await pause(50)) {
      const { status } = await fetch(`${url}/healthz`);
      if (status !== health.at(-1)) health.push(status);
    }
  })();
  return {
    accepted,
    refused,
    health,
    async end() {
      going = false;
      await Promise.all([uploads, probes]);
    },
  };
}

/** Expects that nothing is lost and nothing charged twice, and that refused callers know when to come back. */
async function expectAllWell(instance: Instance, { accepted, refused }: Load): Promise<void> {
  const { api } = instance;
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [503, 'UNAVAILABLE']));
  expect(refused.filter(({ headers }) => headers.get('retry-after') === null)).toEqual([]);
  for (const id of accepted) {
    const { status, enhancements } = await api.settled(id);
    expect([status, enhancements[0]?.status]).toEqual(['UPLOAD_FINISHED', 'FINISHED']);
  }
  // Each order costs one credit. An upload may exist whose answer was lost with the database.
  const { used } = await api.credits();
  expect(used).toBeGreaterThanOrEqual(accepted.length);
  expect(used).toBeLessThanOrEqual(accepted.length + refused.length);
  await until(
    () => api.credits(),
    ({ reserved }) => reserved === 0,
    { withinMs: 60_000 },
  );
  expect((await fetch(`${instance.url}/readyz`)).status).toBe(200);
  expect(instance.running()).toBe(true);
}

const untilMore = (load: Load, more: number): Promise<unknown> => {
  const before = load.accepted.length;
  return until(
    () => load.accepted.length,
    (count) => count >= before + more,
    { withinMs: 120_000 },
  );
};

test.each([
  ['database', 'EIO'],
  ['database', 'EROFS'],
  ['temporal', 'EIO'],
  ['temporal', 'EROFS'],
] as const)('three seconds in which the disk of %s answers %s lose nothing, and need nobody', async (part, error) => {
  await using folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  const control = join(tools.path, `${part}-${error}`);
  await using instance = await startInstance({
    dataDir: folder.path,
    via: [faultyDisk, join(folder.path, part), control],
  });
  const work = load(instance);
  await untilMore(work, 3);
  await writeFile(control, ERRORS[error]);
  await pause(FAULT_MS);
  await rm(control);
  await untilMore(work, 3);
  await work.end();
  console.log(part, error, { accepted: work.accepted.length, refused: work.refused.length, health: work.health });
  expect((await stat(`${control}.failed`)).size).toBeGreaterThan(0);
  if (part === 'database') expect(work.health).toEqual([200, 503, 200]);
  await expectAllWell(instance, work);
  expect(await instance.stop()).toBe(0);
});

test('a disk of the database without inodes refuses for as long as it has none', async () => {
  await using folder = await temporaryFolder();
  await using template = await temporaryFolder();
  await copyMigratedDatabase(template.path);
  await cp(template.path, folder.path, { recursive: true });
  const database = join(folder.path, 'database');
  // Only the instance sees the disk. Needs root, or a system that lets users mount.
  const mount = 'mount -t tmpfs -o nr_inodes=5k tmpfs "$0" && cp -a "$1/." "$0" && shift && exec "$@"';
  const via = ['unshare', '--map-root-user', '--mount', 'sh', '-c', mount, database, join(template.path, 'database')];
  await using instance = await startInstance({ dataDir: folder.path, via });
  const seen = join('/proc', String(instance.pid), 'root', database);
  const work = load(instance);
  await untilMore(work, 2);
  // Fills the disk with empty files, also those of the files that the database removes meanwhile.
  const fill = 'i=0; while [ $i -lt 6000 ]; do true > "$0/full-$i" || break; i=$((i+1)); done';
  for (let second = 0; second < 15; second += 1) {
    execFileSync('sh', ['-c', fill, seen], { stdio: 'ignore' });
    await pause(1_000);
  }
  execFileSync('sh', ['-c', 'rm -f "$0"/full-*', seen]);
  await untilMore(work, 5);
  await work.end();
  console.log('inodes', { accepted: work.accepted.length, refused: work.refused.length, health: work.health });
  await expectAllWell(instance, work);
  expect(await instance.stop()).toBe(0);
});
