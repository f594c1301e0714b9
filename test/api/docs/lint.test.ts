import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { repositoryRoot } from '../../support/repository.ts';

interface Described {
  operationId: string;
  summary?: string;
  description?: string;
}

const document = openApiDocument({ publicUrl: 'https://burnish.example', version: '1.0.0' });
const operations = Object.entries(document.paths!).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Described>).map(([method, operation]) => ({ path, method, ...operation })),
);

/** What the recommended rules of Redocly find, errors and warnings. */
async function complaintsAbout(described: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(described), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
}

test('the recommended rules of Redocly report nothing about the description', async () => {
  expect(await complaintsAbout(document)).toEqual([]);
}, 30_000);

test('the recommended rules of Redocly report an operation without an id and a summary', async () => {
  const broken = structuredClone(document) as unknown as { paths: Record<string, { get: Partial<Described> }> };
  delete broken.paths['/v1/credits']!.get.operationId;
  delete broken.paths['/v1/credits']!.get.summary;
  const complaints = await complaintsAbout(broken);
  expect(complaints.join('\n')).toMatch(/operation-operationId/);
  expect(complaints.join('\n')).toMatch(/operation-summary/);
}, 30_000);

test('every operation has a summary, a description and an id that suits a method name', () => {
  expect(operations.length).toBeGreaterThan(60);
  for (const { path, method, operationId, summary = '', description = '' } of operations) {
    const name = `${method} ${path}`;
    expect([name, operationId]).toEqual([name, expect.stringMatching(/^[a-z]+([A-Z][a-z]+)*$/)]);
    expect([name, summary]).toEqual([name, expect.stringMatching(/^.{8,100}$/)]);
    expect([name, description]).toEqual([name, expect.stringMatching(/\w+ \w+/)]);
  }
});

test('every event is a webhook with the schema of its body', () => {
  const webhooks = Object.entries(document.webhooks!) as [string, { post: Described & { requestBody: object } }][];
  expect(webhooks.length).toBeGreaterThanOrEqual(7);
  for (const [name, { post }] of webhooks) {
    expect([name, post.description]).toEqual([name, expect.stringMatching(/\w+ \w+/)]);
    expect(JSON.stringify(post.requestBody)).toContain('schema');
  }
});

test('a schema of answers has no twin for requests, because generators then mix the two', () => {
  expect(Object.keys(document.components!.schemas!).filter((name) => name.endsWith('Output'))).toEqual([]);
});

test('the settings of openapi-python-client name every media type that it does not know', async () => {
  const mediaTypes = Object.keys(collectContents(document.paths));
  const known = /^(application\/(octet-stream|(problem\+)?json)|multipart\/form-data|text\/.+)$/;
  const path = join(repositoryRoot, 'docs/api/openapi-python-client.yaml');
  const settings = [...(await readFile(path, 'utf8')).matchAll(/^ {2}(\S+): application\/octet-stream$/gm)];
  expect(settings.map(([, mediaType]) => mediaType)).toEqual(mediaTypes.filter((type) => !known.test(type)).sort());
});

/** Every `content` of requests and answers, by media type. */
function collectContents(value: unknown, found: Record<string, unknown> = {}): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, each] of Object.entries(value)) {
    if (name === 'content') Object.assign(found, each);
    collectContents(each, found);
  }
  return found;
}
