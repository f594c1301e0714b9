import '../setup/quiet-temporal.ts';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { photo } from '../e2e/files.ts';
import { startInstance } from '../e2e/instance.ts';
import { exampleFiles } from '../support/example-files.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/* The examples of examples/clients, with the description of a running instance. They need python3, Go, npm and package registries. */

const LANGUAGES = ['python', 'go', 'typescript'];
const execute = promisify(execFile);

test('the documented generators make clients that send a photograph and print the address of its result', async () => {
  await using folder = await temporaryFolder();
  await using instance = await startInstance();
  const description = await (await fetch(`${instance.url}/openapi.json`)).text();
  const env = { ...process.env, BURNISH: instance.url, KEY: instance.apiKey };
  for (const name of LANGUAGES) {
    const cwd = join(folder.path, name);
    await mkdir(cwd);
    for (const [file, text] of await exampleFiles(`clients/${name}`)) await writeFile(join(cwd, file), text);
    await writeFile(join(cwd, 'photo.jpg'), await photo());
    await writeFile(join(cwd, 'openapi.json'), description);
    const settings = 'openapi-python-client.yaml';
    await copyFile(join(repositoryRoot, 'docs/api', settings), join(cwd, settings));
    const { stdout } = await execute('bash', ['run.sh'], { cwd, env, maxBuffer: 64_000_000 });
    const [address] = /^http:\S+$/m.exec(stdout) ?? [`no address: ${stdout}`];
    const answer = await fetch(address);
    expect([name, answer.status, answer.headers.get('content-type')]).toEqual([name, 200, 'image/jpeg']);
  }
}, 1_200_000);
