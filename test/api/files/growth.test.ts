import { expect, test } from '@jest/globals';
import { graphql } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

const gateway = useGateway();

test('the growth of a result is its size divided by that of the original, in REST and in GraphQL', async () => {
  const upload = await storedUpload(gateway);
  const object = { objectKey: 'of-no-stored-object', size: 30_000, originalSize: 9_000, sha256: 'ab'.repeat(32) };
  const result = { ...object, mimetype: 'image/jpeg' as const, filename: 'better.jpg', width: 0, height: 0 };
  const { id } = await storedEnhancement(gateway, upload, { status: 'FINISHED', result });
  const growth = 3.3333;
  expect(await (await gateway.fetch(`/v1/enhancements/${id}`)).json()).toMatchObject({ filesize: 30_000, growth });
  const answer = await graphql(gateway, `{ enhancedImage(id: "${id}") { growth } }`);
  expect(answer.data).toEqual({ enhancedImage: { growth } });
});
