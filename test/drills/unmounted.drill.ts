import { execFile } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import type { Answer, Problem, UploadRecord } from '../e2e/api.ts';
import { photo } from '../e2e/files.ts';
import {
  cleanEnvironment,
  freePorts,
  type Instance,
  type InstanceOptions,
  portSettings,
  runCommand,
  startInstance,
} from '../e2e/instance.ts';
import { processTree } from '../e2e/processes.ts';
import { until } from '../support/until.ts';
import { emptyBucket, unmount } from '../support/marked-store.ts';
import { startS3Server } from '../support/s3-server.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { slowPhoto, SLOW_ORDER } from './interrupted.ts';

const run = promisify(execFile);

const NOBODY = 65_534;

/** Storage that the drill takes away from a running instance. */
interface Removable {
  options: InstanceOptions;
  takeAway(instance: Instance): Promise<void>;
  giveBack(instance: Instance): Promise<void>;
  /** Whether what storage has can be read while it is away; it cannot be written */
  isReadable?: boolean;
  /** Objects in what stands in the place of storage, and in storage */
  objects(): Promise<string[]>;
  close(): Promise<void>;
}

interface SignedUpload {
  id: string;
  uploadUrl: string;
}

const objectsIn = async (...folders: string[]): Promise<string[]> => {
  const lists = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])));
  return lists.flat().filter((name) => name.endsWith('.object') && !name.startsWith('instance'));
};

async function renamedFolder(): Promise<Removable> {
  const folder = await temporaryFolder();
  const root = join(folder.path, 'files');
  let remount = (): Promise<void> => Promise.resolve();
  return {
    options: { env: { BURNISH_STORAGE: `file:${root}` } },
    takeAway: async () => void (remount = await unmount(root)),
    giveBack: () => remount(),
    objects: () => objectsIn(root),
    close: () => folder[Symbol.asyncDispose](),
  };
}

/** A bind mount that only the instance sees. Needs root, or a system that lets users mount. */
const realMount = (isReadOnly: boolean) => async (): Promise<Removable> => {
  const folder = await temporaryFolder();
  const [disk, point] = [join(folder.path, 'disk'), join(folder.path, 'mount')];
  for (const each of [disk, point]) await mkdir(each);
  const mount = ['sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"', disk, point];
  const inside = async ({ pid }: Instance, command: string[]): Promise<void> => {
    const target = ['--target', String(pid), '--user', '--mount', '--preserve-credentials'];
    await run('nsenter', [...target, ...command]);
  };
  const remount = (mode: 'ro' | 'rw') => ['mount', '-o', `remount,bind,${mode}`, point];
  return {
    options: {
      env: { BURNISH_STORAGE: `file:${point}` },
      via: ['unshare', '--map-root-user', '--mount', ...mount],
    },
    isReadable: isReadOnly,
    // The engine may have files open there.
    takeAway: (instance) => inside(instance, isReadOnly ? remount('ro') : ['umount', '--lazy', point]),
    giveBack: (instance) => inside(instance, isReadOnly ? remount('rw') : ['mount', '--bind', disk, point]),
    objects: () => objectsIn(disk, point),
    close: () => folder[Symbol.asyncDispose](),
  };
};

/** An instance of the user `nobody`, who loses all rights to the folder. Needs root. */
async function forbiddenFolder(): Promise<Removable> {
  const folder = await temporaryFolder();
  const [root, dataDir] = [join(folder.path, 'files'), join(folder.path, 'data')];
  await chmod(folder.path, 0o755);
  // The user reads nothing in the home of root.
  const temporal = join(folder.path, 'temporal');
  await copyFile(await temporalBinary(), temporal);
  await chmod(temporal, 0o755);
  for (const each of [root, dataDir]) {
    await mkdir(each);
    await chown(each, NOBODY, NOBODY);
  }
  return {
    options: {
      dataDir,
      env: { BURNISH_STORAGE: `file:${root}`, BURNISH_TEMPORAL_BINARY: temporal, HOME: dataDir },
      via: ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'],
    },
    takeAway: () => chmod(root, 0),
    giveBack: () => chmod(root, 0o700),
    objects: () => objectsIn(root),
    close: () => folder[Symbol.asyncDispose](),
  };
}

/** @param isOther another bucket answers under the name of the first one, with the marker of another instance */
const bucket = (isOther: boolean) => async (): Promise<Removable> => {
  const s3 = await startS3Server();
  const name = await s3.createBucket();
  let putBack = (): Promise<void> => Promise.resolve();
  return {
    options: { env: { ...s3.env, BURNISH_STORAGE: `s3://${name}/files` } },
    async takeAway() {
      putBack = await emptyBucket(s3, name);
      if (!isOther) return;
      await using stranger = await startInstance({ env: { ...s3.env, BURNISH_STORAGE: `s3://${name}/files` } });
      await stranger.stop();
    },
    giveBack: () => putBack(),
    objects: async () => (await s3.filesOf(name)).filter((path) => path.endsWith('.object')),
    close: () => s3[Symbol.asyncDispose](),
  };
};

const WAYS: [string, () => Promise<Removable>][] = [
  ['whose folder is renamed, and an empty folder has its name', renamedFolder],
  ['whose mount is lost', realMount(false)],
  ['whose mount becomes read-only', realMount(true)],
  ['that an unprivileged user may not open any more', forbiddenFolder],
  ['whose bucket is emptied', bucket(false)],
  ['whose bucket is exchanged for that of another instance', bucket(true)],
];

test.each(WAYS)(
  'storage %s loses no accepted upload, charges nothing twice, and keeps deletions due',
  async (_, open) => {
    const storage = await open();
    try {
      await using instance = await startInstance(storage.options);
      const { api } = instance;
      const accept = async (file: Buffer, order = {}): Promise<UploadRecord> => {
        const { status, body } = await api.upload(file, order);
        expect(status).toBe(202);
        return body;
      };
      const finished = await api.settled((await accept(await photo(1), { enhancements: [{}] })).id);
      const toDelete = await api.settled((await accept(await photo(2))).id);
      const before = await api.credits();
      const running: UploadRecord[] = [];
      for (const seed of [3, 4, 5]) {
        running.push(
          await accept(await slowPhoto(seed), { enhancements: [SLOW_ORDER, { ...SLOW_ORDER, mode: 'VIVID' }] }),
        );
      }
      const enhancements = running.flatMap((upload) => upload.enhancements);
      await api.reached(enhancements[0]!.id, 'PROCESSING');
      const announce = async (file: Buffer): Promise<Answer<SignedUpload>> =>
        api.call('POST', '/v1/uploads/signed', {
          body: { filename: 'photo.jpg', filesize: file.byteLength, mimetype: 'image/jpeg' },
        });
      const put = async (url: string, file: Buffer): Promise<number> =>
        (await fetch(url, { method: 'PUT', headers: { 'content-type': 'image/jpeg' }, body: new Uint8Array(file) }))
          .status;
      const sent = await announce(await photo(7));
      expect([sent.status, await put(sent.body.uploadUrl, await photo(7))]).toEqual([202, 200]);
      await storage.takeAway(instance);

      const { fullUrl } = finished.enhancements[0]!;
      const readiness = async (): Promise<number> => (await fetch(`${instance.url}/readyz`)).status;
      // A look at the marker counts for a second, and a check of writes for ten.
      const withinMs = storage.isReadable === true ? 15_000 : 5_000;
      await until(readiness, (status) => status === 503, { withinMs });
      const refused = (await api.upload(await photo(6))) as unknown as Answer<Problem>;
      expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await fetch(fullUrl!)).status).toBe(storage.isReadable === true ? 200 : 503);
      const report = `${instance.url}/v1/uploads/${finished.id}/report.pdf`;
      expect((await fetch(report, { headers: { 'x-api-key': instance.apiKey } })).status).toBe(503);
      // A service takes files directly, so that its address cannot be given; the gateway refuses the file.
      const late = await announce(await photo(8));
      expect(late.status === 503 || (await put(late.body.uploadUrl, await photo(8))) === 503).toBe(true);
      const completed = await api.call('POST', `/v1/uploads/${sent.body.id}/complete`, { body: {} });
      expect([202, 503]).toContain(completed.status);
      const deletion = await api.call<UploadRecord>('DELETE', `/v1/uploads/${toDelete.id}`);
      expect([deletion.status, deletion.body.status]).toEqual([202, 'UPLOAD_FINISHED']);
      await until(async () => {
        const records = await Promise.all(running.map(({ id }) => api.get<UploadRecord>(`/v1/uploads/${id}`)));
        const all = records.flatMap(({ body }) => body.enhancements);
        expect(all.filter(({ status }) => status === 'ERROR')).toEqual([]);
        return all.some(({ waitingFor }) => waitingFor === 'storage') ? true : undefined;
      });

      await storage.giveBack(instance);
      for (const { id } of enhancements) {
        expect(await api.reached(id, 'FINISHED', 'ERROR', 'CANCELLED')).toMatchObject({
          status: 'FINISHED',
          chargedCredits: 4,
        });
      }
      await until(
        async () => (await api.call('POST', `/v1/uploads/${sent.body.id}/complete`, { body: {} })).status,
        (status) => status === 202,
      );
      expect((await api.settled(sent.body.id)).status).toBe('UPLOAD_FINISHED');
      expect(await api.credits()).toMatchObject({ used: before.used + 24, reserved: before.reserved });
      expect((await fetch(fullUrl!)).status).toBe(200);
      await until(async () => {
        const { body } = await api.get<UploadRecord>(`/v1/uploads/${toDelete.id}`);
        return body.status === 'UPLOAD_DELETED' ? true : undefined;
      });
      const left = await storage.objects();
      expect(left.filter((path) => path.includes(toDelete.id))).toEqual([]);
      for (const { id } of running) expect(left.filter((path) => path.includes(id))).toHaveLength(3);
      expect((await fetch(`${instance.url}/readyz`)).status).toBe(200);
      expect(await instance.stop()).toBe(0);
    } finally {
      await storage.close();
    }
  },
);

test('a start without its storage waits, says so in one sentence, and continues once the storage is back', async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, 'files');
  const shared = { dataDir: join(folder.path, 'data'), ports: await freePorts() };
  const env = { BURNISH_STORAGE: `file:${root}` };
  const first = await startInstance({ ...shared, env });
  const { body } = await first.api.upload(await photo(1));
  await first.api.settled(body.id);
  expect(await first.stop()).toBe(0);

  const remount = await unmount(root);
  const settings = { ...portSettings(shared.ports), BURNISH_DATA_DIR: shared.dataDir, ...env };
  const waiting = runCommand(['up'], await cleanEnvironment(settings));
  await until(() => (waiting.stderr().includes('The start waits') ? true : undefined));
  const sentences = waiting.stderr().split('\n');
  expect(sentences.filter((line) => line.startsWith('Storage carries no marker'))).toHaveLength(1);
  expect(waiting.stdout()).toBe('');
  await remount();
  await until(() => (waiting.stdout().includes('Ctrl-C stops it.') ? true : undefined));
  waiting.child.kill('SIGINT');
  expect(await waiting.ended).toBe(0);

  // A signal ends a start that waits.
  const away = await unmount(root);
  const stopped = runCommand(['up'], await cleanEnvironment(settings));
  await until(() => (stopped.stderr().includes('The start waits') ? true : undefined));
  stopped.child.kill('SIGINT');
  expect(await stopped.ended).toBe(0);
  expect(processTree(stopped.pid)).toEqual([]);
  await away();
});
