import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { EVENT_KINDS, FAILURES } from '@burnish/contract';
import { schema } from '../../src/api/graphql-schema.ts';
import { repositoryRoot } from '../support/repository.ts';

let page: string;

beforeAll(async () => {
  page = await readFile(join(repositoryRoot, 'docs', 'contract.md'), 'utf8');
});

const unnamed = (names: readonly string[]): string[] => names.filter((name) => !page.includes(`\`${name}\``));

test('the page of the contract names every operation, and every field of its types', () => {
  const types = ['Query', 'Mutation', 'Upload', 'EnhancedImage', 'Credits', 'Settings', 'SignedUploadUrl'];
  const names = types.flatMap((name) => {
    const type = schema.getType(name)!;
    return 'getFields' in type ? Object.keys(type.getFields()) : [];
  });
  expect(names.length).toBeGreaterThan(100);
  expect(unnamed(names)).toEqual([]);
});

test('the page of the contract names every state, event and error code', () => {
  const states = ['UploadStatus', 'UploadSubStatus', 'EnhancedImageStatus'].flatMap((name) => {
    const type = schema.getType(name)!;
    return 'getValues' in type ? type.getValues().map((value) => value.name) : [];
  });
  expect(states.length).toBeGreaterThan(10);
  expect(unnamed([...states, ...EVENT_KINDS, ...Object.keys(FAILURES)])).toEqual([]);
});
