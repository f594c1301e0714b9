import { expect, test } from '@jest/globals';
import { Burnish } from '@burnish/client';
import { graphql } from '../graphql/support.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { poll } from '../../support/poll.ts';

const living = useLivingGateway();

async function aKey(name: string): Promise<{ id: string; burnish: Burnish }> {
  const { apiKey, key } = await living.gateway.records.apiKeys.create(living.gateway.account.id, name);
  return { id: apiKey.id, burnish: new Burnish({ baseUrl: living.gateway.url, apiKey: key }) };
}

test('usage names the key that ordered: with an upload, later, and by a batch that another key approved', async () => {
  const { gateway } = living;
  const [shop, catalogue, reader] = [await aKey('Shop'), await aKey('Catalogue'), await aKey('Reader')];
  const { id: uploadId } = await shop.burnish.uploads.create(await jpeg(1), { filename: '1.jpg', enhancements: [{}] });
  const other = await shop.burnish.uploads.create(await jpeg(2), { filename: '2.jpg' });
  await poll(async () => (await reader.burnish.uploads.get(other.id)).status).toBe('UPLOAD_FINISHED');
  await shop.burnish.enhancements.create(other.id, { enhancements: [{ mode: 'VIVID' }, { mode: 'ENHANCE' }] });

  const batch = await catalogue.burnish.batches.create({ enhancements: [{ mode: 'VIVID' }], samples: 1 });
  const third = await shop.burnish.uploads.create(await jpeg(3), { filename: '3.jpg' });
  await reader.burnish.batches.add(batch.id, [{ uploadId }, { uploadId: third.id }]);
  await reader.burnish.batches.close(batch.id);
  const reaches = (status: string): Promise<void> =>
    poll(async () => (await reader.burnish.batches.get(batch.id)).status, { timeout: 40_000 }).toBe(status);
  await reaches('APPROVAL_NEEDED');
  await reader.burnish.batches.approve(batch.id);
  await reaches('FINISHED');
  await storedEnhancement(gateway, await storedUpload(gateway, {}), {
    status: 'FINISHED',
    chargedCredits: 3,
    finishedAt: new Date().toISOString(),
  });
  await gateway.records.apiKeys.remove(gateway.account.id, shop.id);

  await poll(async () => (await reader.burnish.usage())[0]?.finished, { timeout: 20_000 }).toBe(6);
  const [day, ...none] = await reader.burnish.usage();
  expect(none).toEqual([]);
  expect(day!.keys.map(({ keyId, keyName, finished }) => ({ keyId, keyName, finished }))).toEqual([
    // The names of keys are in the order of their ids: the older key comes first.
    { keyId: shop.id, keyName: null, finished: 3 },
    { keyId: catalogue.id, keyName: 'Catalogue', finished: 2 },
    { keyId: null, keyName: null, finished: 1 },
  ]);
  expect(day!.keys.reduce((sum, { credits }) => sum + credits, 0)).toBe(day!.credits);
  expect(day!.keys.at(-1)!.credits).toBe(3);
  const { data } = await graphql(gateway, '{ usage { day finished keys { keyId keyName finished credits } } }');
  expect(data).toEqual({
    usage: [
      {
        day: day!.day,
        finished: 6,
        keys: day!.keys.map(({ keyId, keyName, finished, credits }) => ({ keyId, keyName, finished, credits })),
      },
    ],
  });
}, 120_000);
