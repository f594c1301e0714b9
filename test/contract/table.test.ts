import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { schema } from '../../src/api/graphql/schema.ts';
import { repositoryRoot } from '../support/repository.ts';

interface Row {
  subject: string;
  proof: string;
}

/** Rows of every table in the document that names tests. */
async function rows(): Promise<Row[]> {
  const text = await readFile(join(repositoryRoot, 'docs', 'contract.md'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s:|-]+\|$/.test(line))
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).slice(1, -1);
      return { subject: cells[0]!.trim(), proof: cells.at(-1)!.trim() };
    })
    .filter(({ proof }) => proof !== 'Proved by');
}

/** The tests that a row names, such as `contract/flows` “takes three steps”. */
function proofs({ proof }: Row): { file: string; name: string }[] {
  return [...proof.matchAll(/`([\w/-]+)` “([^”]+)”/g)].map(([, file, name]) => ({ file: file!, name: name! }));
}

test('every row of the table names at least one existing test by file and title', async () => {
  const all = await rows();
  expect(all.length).toBeGreaterThan(80);
  expect(all.filter((row) => proofs(row).length === 0)).toEqual([]);
  const sources = new Map<string, string>();
  const missing: string[] = [];
  for (const { file, name } of all.flatMap(proofs)) {
    if (!sources.has(file))
      sources.set(file, await readFile(join(repositoryRoot, 'test', `${file}.test.ts`), 'utf8').catch(() => ''));
    if (!sources.get(file)!.includes(name)) missing.push(`${file}: ${name}`);
  }
  expect(missing).toEqual([]);
});

test('every operation and every field of the contract has a row', async () => {
  const subjects = (await rows()).map(({ subject }) => subject).join('\n');
  const types = ['Query', 'Mutation', 'Upload', 'EnhancedImage', 'Credits', 'Settings', 'SignedUploadUrl'];
  const names = types.flatMap((name) => {
    const type = schema.getType(name)!;
    return 'getFields' in type ? Object.keys(type.getFields()) : [];
  });
  expect(names.filter((name) => !subjects.includes(`\`${name}\``))).toEqual([]);
});
