import { expect, test } from '@jest/globals';
import { uploadOrigins } from '../../src/runtime/gateway.ts';

test('uploads go to the gateway alone where the storage signs no addresses', async () => {
  expect(await uploadOrigins({})).toEqual([]);
});

test('uploads go to where the storage signs addresses for, whatever stands in them', async () => {
  const signPut = async (key: string): Promise<string> => `https://bucket.files.example:8443/${key}?signature=x`;
  expect(await uploadOrigins({ signPut })).toEqual(['https://bucket.files.example:8443']);
});
