import { expect, test } from '@jest/globals';
import { jpeg } from '../support/files.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

async function upload(): Promise<number> {
  const init = { method: 'POST', headers: { 'Content-Type': 'image/jpeg' }, body: new Uint8Array(await jpeg()) };
  return (await gateway.fetch('/v1/uploads', init)).status;
}

const readiness = async (): Promise<[number, string[]]> => {
  const response = await gateway.fetch('/readyz', { key: null });
  return [response.status, (await response.json()).problems];
};

test('a gateway whose uploads fail at a part that answers every check is not ready, until one succeeds', async () => {
  gateway.temporal.onStart = () => {
    throw Object.assign(new Error('away'), { code: 14, details: '', metadata: {} });
  };
  expect([await upload(), await upload(), await readiness()]).toEqual([503, 503, [200, []]]);
  expect(await upload()).toBe(503);
  expect(await readiness()).toEqual([503, ['The workflow service does not respond. Uploads are refused.']]);
  gateway.temporal.onStart = () => undefined;
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect(await upload()).toBe(202);
  expect(await readiness()).toEqual([200, []]);
});
