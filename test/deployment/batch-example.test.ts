import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { listenHttp } from '../support/local-server.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEYS = [
  ...['../../etc/passwd', '/etc/cron.d/job', '..\\..\\windows\\a.jpg', 'C:\\photos\\a.jpg', 'shop/../../a.jpg'],
  ...['https://example.com/in/a.jpg', 'shop/a.jpg', 'a.jpg', './b/a.jpg', '../photos/a.jpg'],
];

test('the example that saves the results of a batch writes nothing outside of its folder, whatever the keys', async () => {
  await using folder = await temporaryFolder();
  await using results = await listenHttp((req, res) => void res.end(req.url));
  await copyFile(
    join(repositoryRoot, 'examples', 'batches', 'save-results.mjs'),
    join(folder.path, 'save-results.mjs'),
  );

  // As deep as the deepest key climbs.
  const inside = join(folder.path, 'a', 'b', 'c');
  const child = spawn(
    process.execPath,
    [
      '-e',
      `require('fs').mkdirSync(${JSON.stringify(inside)}, { recursive: true }); process.chdir(${JSON.stringify(inside)}); import(${JSON.stringify(join(folder.path, 'save-results.mjs'))})`,
    ],
    { stdio: ['pipe', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const names = KEYS.map((_, index) => (index === 0 ? '..%2F..%2Fname.jpg' : `${index}.jpg`));
  child.stdin.end(
    KEYS.map((key, index) =>
      JSON.stringify({ key, state: 'FINISHED', errorCode: null, resultUrl: `${results.url}/files/${names[index]}` }),
    ).join('\n'),
  );
  const [code] = (await once(child, 'exit')) as [number];
  expect([code, errors]).toEqual([0, '']);

  const files = (await readdir(folder.path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name !== 'save-results.mjs')
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files).toHaveLength(KEYS.length);
  expect(files.filter((file) => !file.startsWith(join(inside, 'results')))).toEqual([]);
  expect(files).toContain(join(inside, 'results', 'shop', '6.jpg'));
});
