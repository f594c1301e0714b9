import '../setup/quiet-temporal.ts';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { photo } from '../e2e/files.ts';
import { type Instance, startInstance } from '../e2e/instance.ts';
import { exampleFiles } from '../support/example-files.ts';
import { lackOf, testUnless } from '../support/needs.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

/* The examples of examples/clients, with the description of a running instance. They also need the registries of their packages. */

/** The languages beside what `npm test` needs, by the program that makes or runs the client. */
const LANGUAGES = {
  python: undefined,
  typescript: undefined,
  go: 'go',
  java: 'mvn',
  php: 'php',
  csharp: 'dotnet',
} as const;

/**
 * In place of Composer where it is missing or cannot reach its registry: Debian's `php-guzzlehttp-guzzle`, and the classes where the
 * generator put them.
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

const LIMIT_MS = 900_000;
const execute = promisify(execFile);

let folder: TemporaryFolder;
let instance: Instance;
beforeAll(async () => {
  folder = await temporaryFolder();
  instance = await startInstance();
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const hasComposer = (): Promise<boolean> =>
  execute('composer', ['--version']).then(
    async () => (await fetch('https://repo.packagist.org/packages.json')).ok,
    () => false,
  );

for (const [name, program] of Object.entries(LANGUAGES)) {
  testUnless(program && lackOf(program))(
    `the documented generator makes a client in ${name} that sends a photograph and prints the address of its result`,
    async () => {
      const cwd = join(folder.path, name);
      await mkdir(cwd);
      for (const [file, text] of await exampleFiles(`clients/${name}`)) await writeFile(join(cwd, file), text);
      await writeFile(join(cwd, 'photo.jpg'), await photo());
      await writeFile(join(cwd, 'openapi.json'), await (await fetch(`${instance.url}/openapi.json`)).text());
      const settings = 'openapi-python-client.yaml';
      await copyFile(join(repositoryRoot, 'docs/api', settings), join(cwd, settings));
      const env: NodeJS.ProcessEnv = { ...process.env, BURNISH: instance.url, KEY: instance.apiKey };
      if (name === 'php' && !(await hasComposer().catch(() => false))) {
        await writeFile(join(folder.path, 'composer'), COMPOSER, { mode: 0o755 });
        env['PATH'] = `${folder.path}:${env['PATH'] ?? ''}`;
      }
      const { stdout } = await execute('bash', ['run.sh'], { cwd, env, maxBuffer: 64_000_000 });
      // Maven colours its output also where nobody sees it.
      const [address] = /^http:\S+$/m.exec(stripVTControlCharacters(stdout)) ?? [`no address: ${stdout}`];
      const answer = await fetch(address);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    },
    LIMIT_MS,
  );
}
