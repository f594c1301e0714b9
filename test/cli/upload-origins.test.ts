import { expect, test } from '@jest/globals';
import { uploadOrigins } from '../../src/runtime/gateway.ts';

test('the dashboard may upload only to the gateway if the storage signs no URLs', async () => {
  expect(await uploadOrigins({})).toEqual([]);
});

test('the dashboard may upload to the origin of signed storage URLs', async () => {
  const signPut = async (key: string): Promise<string> => `https://bucket.files.example:8443/${key}?signature=x`;
  expect(await uploadOrigins({ signPut })).toEqual(['https://bucket.files.example:8443']);
});
