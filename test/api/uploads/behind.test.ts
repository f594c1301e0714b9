import { expect, test } from '@jest/globals';
import { testGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

test('after a loss, open work says that it waits until its records are compared', async () => {
  let isBehind = true;
  await using gateway = await testGateway({ mayBeBehind: () => isBehind });
  const received = await storedUpload(gateway, { status: 'UPLOAD_PROCESSING' });
  const finished = await storedUpload(gateway);
  const open = await storedEnhancement(gateway, finished, { status: 'PROCESSING' });
  const ended = await storedEnhancement(gateway, finished, { status: 'FINISHED' });
  const waits = async (): Promise<unknown[]> => {
    const paths = [received, finished].map(({ id }) => `uploads/${id}`);
    paths.push(...[open, ended].map(({ id }) => `enhancements/${id}`));
    return Promise.all(paths.map(async (path) => (await (await gateway.fetch(`/v1/${path}`)).json()).waitingFor));
  };
  expect(await waits()).toEqual(['worker', null, 'worker', null]);
  isBehind = false;
  expect(await waits()).toEqual([null, null, null, null]);
});
