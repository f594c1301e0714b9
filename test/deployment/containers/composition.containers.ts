import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../support/repository.ts';
import { buildImages } from './build-images.ts';
import { compose, environmentFile, podman, PROJECT } from './podman.ts';

const GATEWAY = 'http://127.0.0.1:3000';
/** Milliseconds to build images, or to start a service, on a busy machine. */
const PATIENCE = 3_600_000;
/** Services of more than one container */
const SCALED = ['worker', 'engine'];
const key = secret();

function secret(): string {
  return randomBytes(24).toString('hex');
}

/** deploy/example.env with other secrets, as its first line demands. */
async function writeSettings(): Promise<void> {
  const example = await readFile(join(repositoryRoot, 'deploy', 'example.env'), 'utf8');
  const changed = example
    .replace(/^BURNISH_API_KEY=.*$/m, `BURNISH_API_KEY=${key}`)
    .replace(/^BURNISH_ENCRYPTION_KEY=.*$/m, `BURNISH_ENCRYPTION_KEY=${randomBytes(32).toString('base64')}`)
    .replace(/=change-me.*$/gm, () => `=${secret()}`);
  await writeFile(environmentFile, changed);
}

const containersOf = async (service: string): Promise<string[]> =>
  (
    await podman(
      'ps',
      '--all',
      '--quiet',
      '--filter',
      `label=com.docker.compose.service=${service}`,
      '--filter',
      `label=io.podman.compose.project=${PROJECT}`,
    )
  )
    .split('\n')
    .filter((id) => id !== '');

/** Waits until each container of a service passes its health check, which Podman without systemd runs only on request. */
async function healthy(service: string): Promise<void> {
  for (const id of await containersOf(service)) await repeat(() => podman('healthcheck', 'run', id));
}

/** Waits until the container of a service has ended without an error. */
async function completed(service: string): Promise<void> {
  const [id = ''] = await containersOf(service);
  await repeat(async () => {
    const state = await podman('inspect', '--format', '{{.State.Status}} {{.State.ExitCode}}', id);
    if (state !== 'exited 0') throw new Error(`${service} is ${state}: ${await podman('logs', '--tail', '20', id)}`);
  });
}

async function repeat<T>(attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + 300_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(1_000);
    }
  }
}

/** Starts services in the order of `depends_on`, whose conditions Podman before 4.6 does not tell podman-compose. */
async function start(): Promise<void> {
  const up = (...words: string[]): Promise<string> => compose('up', '--detach', '--no-build', '--no-deps', ...words);
  await up('postgres', 'storage');
  await healthy('postgres');
  await healthy('storage');
  await up('temporal-schema');
  await completed('temporal-schema');
  await up('temporal');
  await healthy('temporal');
  await up('temporal-namespace');
  await completed('temporal-namespace');
  await up('gateway');
  // podman-compose keeps one `--scale` of a command.
  for (const service of SCALED) await up('--scale', `${service}=2`, service);
  for (const service of ['gateway', 'worker', 'engine']) await healthy(service);
}

beforeAll(async () => {
  await buildImages();
  await writeSettings();
  await compose('down', '--volumes').catch(() => undefined);
  await start();
}, PATIENCE);

afterAll(async () => {
  // podman-compose leaves the further containers of a service.
  for (const service of SCALED) await podman('rm', '--force', '--time', '10', ...(await containersOf(service)));
  await compose('down', '--volumes', '--timeout', '10');
}, 300_000);

describe('docker-compose.yml as a whole', () => {
  test('runs a gateway, two workflow workers and two engines', async () => {
    const counts = await Promise.all(
      ['gateway', 'worker', 'engine'].map(async (name) => (await containersOf(name)).length),
    );
    expect(counts).toEqual([1, 2, 2]);
  });

  test('enhances a photograph, from its upload to its download', async () => {
    const body = new FormData();
    body.set('file', new Blob([await readFile(join(repositoryRoot, 'samples', 'yellow-light.jpg'))]), 'photo.jpg');
    body.set('enhancements', JSON.stringify([{ upscalingFactor: 'X2' }]));
    const headers = { 'x-api-key': key };
    const accepted = await fetch(`${GATEWAY}/v1/uploads`, { method: 'POST', headers, body });
    expect(accepted.status).toBe(202);
    const { enhancements } = (await accepted.json()) as { enhancements: { id: string }[] };
    const record = await repeat(async () => {
      const answer = await fetch(`${GATEWAY}/v1/enhancements/${enhancements[0]!.id}`, { headers });
      const read = (await answer.json()) as { status: string; fullUrl: string; errorCode: string | null };
      if (read.status !== 'FINISHED') throw new Error(JSON.stringify(read));
      return read;
    });
    const result = Buffer.from(await (await fetch(record.fullUrl)).arrayBuffer());
    expect(result.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  });

  test.each(['gateway', 'worker', 'engine', 'postgres', 'storage', 'temporal'])(
    '%s cannot write to its image, and has no right of root',
    async (service) => {
      for (const id of await containersOf(service)) {
        await expect(podman('exec', id, 'sh', '-c', 'echo x >/usr/x')).rejects.toThrow(/Read-only file system/);
        const status = await podman('exec', id, 'cat', '/proc/1/status');
        expect(status).toMatch(/^CapEff:\s+0+$/m);
        expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      }
    },
  );

  test.each(['gateway', 'worker', 'engine'])('%s is not root', async (service) => {
    for (const id of await containersOf(service)) expect(await podman('exec', id, 'id', '-u')).toBe('1000');
  });

  test.each(['engine', 'postgres', 'temporal'])('%s has no route out of its network', async (service) => {
    for (const id of await containersOf(service)) {
      const routes = await podman('exec', id, 'cat', '/proc/net/route');
      expect(routes.split('\n').filter((line) => line.split('\t')[1] === '00000000')).toEqual([]);
    }
  });

  test('the health check of every service passes', async () => {
    for (const service of ['gateway', 'worker', 'engine', 'postgres', 'storage', 'temporal'])
      for (const id of await containersOf(service)) await podman('healthcheck', 'run', id);
  });
});
