import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildSchema, findBreakingChanges, parse, validate } from 'graphql';
import { repositoryRoot } from '../support/repository.ts';

/* The example that people copy speaks the contract: its requests, and the service of its tests. */
const source = (path: string): Promise<string> => readFile(join(repositoryRoot, 'examples/lifecycle', path), 'utf8');
const schema = buildSchema(await readFile(join(repositoryRoot, 'docs/api/schema.graphql'), 'utf8'));

test('each request of the example is valid', async () => {
  const code = await source('src/activities/contract.ts');
  const texts = new Map([...code.matchAll(/^const (\w+) = '([^']+)';$/gm)].map(([, name, text]) => [name!, text!]));
  const requests = [...code.matchAll(/gql`([^`]+)`/g)].map(([, text]) =>
    text!.replace(/\$\{(\w+)\}/g, (_all, name: string) => texts.get(name)!),
  );
  expect(requests).toHaveLength(8);
  for (const request of requests) expect(validate(schema, parse(request))).toEqual([]);
});

test('the service of its tests has no name, type or value that Burnish lacks', async () => {
  const [, sdl] = /buildSchema\(`([^`]+)`\)/.exec(await source('src/test/service.ts'))!;
  expect(findBreakingChanges(buildSchema(sdl!), schema)).toEqual([]);
});

test('the workflow and the gateway stay short enough to read', async () => {
  const lines = async (path: string): Promise<number> => (await source(path)).trimEnd().split('\n').length;
  expect(await lines('src/workflows.ts')).toBeLessThanOrEqual(150);
  expect(await lines('src/gateway.ts')).toBeLessThanOrEqual(80);
});
