import { expect, test } from '@jest/globals';
import type { Enhancement } from '../../../src/domain/enhancement/enhancement.ts';
import { graphql } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

const gateway = useGateway();

async function finished(originalSize: number | undefined): Promise<Enhancement> {
  const upload = await storedUpload(gateway);
  const object = { objectKey: 'of-no-stored-object', size: 30_000, sha256: 'ab'.repeat(32) };
  const picture = { mimetype: 'image/jpeg' as const, filename: 'better.jpg', width: 0, height: 0 };
  const result = { ...object, ...picture, ...(originalSize !== undefined && { originalSize }) };
  return await storedEnhancement(gateway, upload, { status: 'FINISHED', result });
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
