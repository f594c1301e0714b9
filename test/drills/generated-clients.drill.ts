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

/**
 * In place of Composer on a machine that cannot reach its registry: Debian's `php-guzzlehttp-guzzle`, and the classes where the generator
 * put them.
 */
const COMPOSER = `#!/bin/sh
mkdir -p client/vendor
cat > client/vendor/autoload.php <<'END'
<?php
require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function ($name) {
    $file = __DIR__ . '/../lib/' . str_replace('\\\\', '/', substr($name, strlen('Burnish/'))) . '.php';
    if (str_starts_with($name, 'Burnish')) require $file;
});
END
`;

/* The examples of examples/clients, with the description of a running instance. They need python3, Go, npm, Java, Maven, PHP and package registries. */

const LANGUAGES = ['python', 'go', 'typescript', 'java', 'php'];
const execute = promisify(execFile);

const isUnreachable = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => !ok,
    () => true,
  );

test('the documented generators make clients that send a photograph and print the address of its result', async () => {
  await using folder = await temporaryFolder();
  await using instance = await startInstance();
  const description = await (await fetch(`${instance.url}/openapi.json`)).text();
  const env: NodeJS.ProcessEnv = { ...process.env, BURNISH: instance.url, KEY: instance.apiKey };
  if (await isUnreachable('https://repo.packagist.org/packages.json')) {
    await writeFile(join(folder.path, 'composer'), COMPOSER, { mode: 0o755 });
    env['PATH'] = `${folder.path}:${env['PATH'] ?? ''}`;
  }
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
