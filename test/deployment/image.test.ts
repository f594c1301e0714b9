import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { expectNamed } from '../support/expect-named.ts';

const read = (name: string): Promise<string> => readFile(join(repositoryRoot, name), 'utf8');

it('all inputs of the image exist, and none is excluded from its build', async () => {
  const copies = [...(await read('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
  const sources = copies.flatMap(([, names]) => names!.split(' '));
  expect(sources).toEqual(expect.arrayContaining(['package-lock.json', 'src', 'packages']));
  const [first, ...allowed] = (await read('.dockerignore')).trim().split('\n');
  expect(first).toBe('*');
  for (const source of sources) {
    await access(join(repositoryRoot, source));
    expectNamed(allowed, `the allowed paths include ${source}`).toContain(`!${source.split('/')[0]}`);
  }
});
