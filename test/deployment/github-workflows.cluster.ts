import { execFile } from 'node:child_process';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { buildGoPrograms, type GoProgram, recentGo } from '../support/go-toolchain.ts';
import { onceACheckout } from '../support/once-a-checkout.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const execute = promisify(execFile);
const workflows = join(repositoryRoot, '.github', 'workflows');
const ACTIONLINT: GoProgram = {
  module: 'github.com/rhysd/actionlint',
  version: 'v1.7.12',
  sum: 'h1:vQ4GeJN86C0QH+gTUQcs8McmK62OLT3kmakPMtEWYnY=',
  packages: ['cmd/actionlint'],
};
/** From this version on, Go downloads the Go version that a module requires. */
const LEAST_GO = [1, 21] as const;

/** Builds actionlint from source, which takes half a minute of CPU time, once. */
async function buildActionlint(): Promise<string> {
  const folder = join(repositoryRoot, '.cache', `actionlint-${ACTIONLINT.version.slice(1)}`);
  const program = join(folder, 'actionlint');
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  const go = await recentGo(LEAST_GO);
  if (go === undefined)
    throw new Error(`actionlint is built from source: put Go ${LEAST_GO.join('.')} or later on PATH.`);
  await mkdir(folder, { recursive: true });
  await buildGoPrograms(go, ACTIONLINT, folder, 'auto');
  return program;
}

const actionlint = await onceACheckout('actionlint', buildActionlint);

test('actionlint finds no fault in the workflows of GitHub, and finds one that is made', async () => {
  const files = (await readdir(workflows)).map((name) => join(workflows, name));
  expect(files.length).toBeGreaterThan(2);
  await execute(actionlint, files);

  await using folder = await temporaryFolder();
  const broken = join(folder.path, 'broken.yml');
  const text = await readFile(join(workflows, 'check.yml'), 'utf8');
  await writeFile(broken, text.replace('matrix.node', 'matrix.nodejs'));
  await expect(execute(actionlint, [broken])).rejects.toMatchObject({ stdout: expect.stringContaining('"nodejs"') });
});

test('every action has the commit of its version', async () => {
  for (const name of await readdir(workflows)) {
    const text = await readFile(join(workflows, name), 'utf8');
    for (const [, action] of text.matchAll(/uses: (.*)/g))
      expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});
