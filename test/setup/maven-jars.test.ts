import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { listenHttp } from '../support/local-server.ts';
import { checkJars, downloadJars } from '../support/maven-jars.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const JARS = {
  'org.example:one:1.0': sha256('/org/example/one/1.0/one-1.0.jar'),
  'org.example.two:two:2': sha256('two'),
};

test('jars are downloaded once, and one with another hash never gets its name', async () => {
  await using folder = await temporaryFolder();
  const asked: string[] = [];
  let answer = (path: string): string | undefined => path;
  await using repository = await listenHttp((req, res) => {
    asked.push(req.url!);
    const text = answer(req.url!);
    res.writeHead(text === undefined ? 404 : 200).end(text);
  });
  const download = () => downloadJars(JARS, folder.path, `${repository.url}/`);

  await expect(download()).rejects.toThrow('two-2.jar does not have the SHA-256 that is pinned');
  answer = () => undefined;
  await expect(download()).rejects.toThrow(' answered 404 for ');
  expect(await readdir(folder.path)).toEqual(['one-1.0.jar']);
  answer = () => 'two';
  await download();
  await download();
  expect(asked.sort()).toEqual([
    '/org/example/one/1.0/one-1.0.jar',
    ...Array<string>(3).fill('/org/example/two/two/2/two-2.jar'),
  ]);
  expect(await readFile(join(folder.path, 'two-2.jar'), 'utf8')).toBe('two');

  await checkJars(JARS, folder.path);
  await writeFile(join(folder.path, 'more.jar'), '');
  await expect(checkJars(JARS, folder.path)).rejects.toThrow('not pinned');
});

test('a repository out of reach ends the download at once', async () => {
  await using folder = await temporaryFolder();
  await expect(downloadJars(JARS, folder.path, 'http://127.0.0.1:1/')).rejects.toThrow('127.0.0.1:1 cannot be reached');
});
