import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Enhancement } from '../../../src/domain/enhancement/enhancement.ts';
import { graphql } from '../graphql/support.ts';
import { resultOf, uploadOf } from '../previews/stored-files.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await testGateway();
});
afterAll(async () => await gateway[Symbol.asyncDispose]());

async function finished(originalSize: number | undefined): Promise<Enhancement> {
  const upload = await uploadOf(gateway, await jpeg(), 'image/jpeg');
  const made = await resultOf(gateway, upload, Buffer.alloc(30_000, 1), 'image/jpeg');
  const result = { ...made.result!, ...(originalSize !== undefined && { originalSize }) };
  const enhancement = { ...made, revision: made.revision + 1, result };
  await gateway.records.enhancements.project(enhancement);
  return enhancement;
}

test.each([
  ['is its size divided by that of the original', 9_000, 3.3333],
  ['is null in records without the size of the original', undefined, null],
])('the growth of a result %s, in REST and in GraphQL', async (_, originalSize, growth) => {
  const { id } = await finished(originalSize);
  expect(await (await gateway.fetch(`/v1/enhancements/${id}`)).json()).toMatchObject({ filesize: 30_000, growth });
  const answer = await graphql(gateway, `{ enhancedImage(id: "${id}") { growth } }`);
  expect(answer.data).toEqual({ enhancedImage: { growth } });
});
