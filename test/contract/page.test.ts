import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { getNamedType, getNullableType, isEnumType, isObjectType, isScalarType } from 'graphql';
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

/** Fields of an example that its type lacks, or whose value the type does not have. */
function misfits(name: string, example: Record<string, unknown>): string[] {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [name];
  return Object.entries(example).flatMap(([field, value]) => {
    const declared = type.getFields()[field]?.type;
    if (declared === undefined) return [`${name}.${field}`];
    const [inner, nullable] = [getNamedType(declared), getNullableType(declared)];
    if (Array.isArray(value)) return value.flatMap((each) => misfits(inner.name, each as Record<string, unknown>));
    if (value === null) return nullable === declared ? [] : [`${name}.${field}`];
    const fits = isEnumType(inner)
      ? inner.getValue(String(value))
      : isScalarType(inner) && inner.serialize(value) === value;
    return fits ? [] : [`${name}.${field}`];
  });
}

test('the example of a record fits its types', () => {
  const [, example = '{}'] = /```json\n(\{\n  "id"[^]*?)```/.exec(page)!;
  expect(misfits('Upload', JSON.parse(example) as Record<string, unknown>)).toEqual([]);
});
