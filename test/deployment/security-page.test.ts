import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { expectNamed } from '../support/expect-named.ts';

const page = await readFile(join(repositoryRoot, 'SECURITY.md'), 'utf8');
const scripts = (JSON.parse(await readFile(join(repositoryRoot, 'package.json'), 'utf8')) as { scripts: object })
  .scripts;

/** Cells of each row of the threat model. */
const rows = page
  .slice(page.indexOf('## Threat model'), page.indexOf('## The sandbox'))
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('every threat has a test of the defence', () => {
  expect(rows.length).toBeGreaterThan(8);
  for (const [, threat, , proof = ''] of rows) {
    const named = [...proof.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    expectNamed(named.length, threat).toBeGreaterThan(0);
    for (const name of named) {
      const script = /^npm run ([\w:]+)/.exec(name)?.[1];
      if (script !== undefined) expectNamed(Object.keys(scripts), threat).toContain(script);
      else expectNamed(existsSync(join(repositoryRoot, name)), `${threat}: ${name}`).toBe(true);
    }
  }
});

test('a proof is a test or a folder of tests', () => {
  const files = rows.flatMap(([, , , proof = '']) => [...proof.matchAll(/`(test\/[^`]+)`/g)].map(([, name]) => name!));
  expect(files.length).toBeGreaterThan(8);
  for (const name of files) {
    const isFolder = statSync(join(repositoryRoot, name)).isDirectory();
    expectNamed(isFolder || /\.(test|full|drill)\.ts$/.test(name), name).toBe(true);
  }
});
