import { expect, test } from '@jest/globals';
import type { SigningKey } from '../../../src/domain/files/signing-key.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { uploadOf } from '../previews/stored-files.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A gateway that signs with the keys in its database, as one does that reads them again and again. */
async function gatewayWithKeys() {
  let keys: SigningKey[] = [];
  const clock: Partial<TestGateway['clock']> = {};
  const now = (): number => Date.now() + (clock.aheadMs ?? 0);
  const made = await testGateway({ signer: createUrlSigner({ keys: () => keys, now }) });
  keys = await made.records.signingKeys.list();
  const { id } = await uploadOf(made, await jpeg(), 'image/jpeg');
  return {
    gateway: made,
    /** Sets the clock of the gateway and of its signer. @param aheadMs milliseconds from the present */
    goTo(aheadMs: number): void {
      made.clock.aheadMs = aheadMs;
      clock.aheadMs = aheadMs;
    },
    async rotate(atOnce: boolean) {
      const key = await made.records.signingKeys.rotate(atOnce);
      keys = await made.records.signingKeys.list();
      return key;
    },
    /** Path and query of an address as the API gives it out now */
    async address(): Promise<string> {
      const { url } = await (await made.fetch(`/v1/uploads/${id}`)).json();
      return url.slice('http://burnish.test'.length);
    },
    statusOf: async (path: string): Promise<number> => (await made.fetch(path, { key: null })).status,
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

const keyIdOf = (path: string): string => path.split('?token=')[1]!.split('.')[0]!;

test('a URL signed by a replaced key is valid until it expires, and new URLs name the new key', async () => {
  await using instance = await gatewayWithKeys();
  const { goTo, address, statusOf } = instance;
  goTo(MINUTE);
  const before = await address();
  expect(keyIdOf(before)).toBe('0');
  const { id } = await instance.rotate(false);
  expect(keyIdOf(await address())).toBe('0');
  goTo(HOUR + MINUTE);
  const after = await address();
  expect(keyIdOf(after)).toBe(id);
  expect([await statusOf(before), await statusOf(after)]).toEqual([200, 200]);
  goTo(DAY - MINUTE);
  expect(await statusOf(before)).toBe(200);
  goTo(DAY + 1000);
  expect([await statusOf(before), await statusOf(after)]).toEqual([403, 200]);
});

test('a URL signed by an unknown key is refused', async () => {
  await using instance = await gatewayWithKeys();
  const path = await instance.address();
  expect(await instance.statusOf(path)).toBe(200);
  expect(await instance.statusOf(path.replace('token=0.', 'token=beef.'))).toBe(403);
});

test('after an immediate replacement, every earlier URL is refused', async () => {
  await using instance = await gatewayWithKeys();
  const before = await instance.address();
  const { id } = await instance.rotate(true);
  expect(await instance.statusOf(before)).toBe(403);
  const after = await instance.address();
  expect([keyIdOf(after), await instance.statusOf(after)]).toEqual([id, 200]);
});

test('a replacement deletes keys whose last URL has expired', async () => {
  await using instance = await gatewayWithKeys();
  const { id: second } = await instance.rotate(false);
  instance.goTo(DAY + 2 * MINUTE);
  const { id: third } = await instance.rotate(false);
  const keys = await instance.gateway.records.signingKeys.list();
  expect(keys.map(({ id }) => id).toSorted()).toEqual([second, third].toSorted());
});
