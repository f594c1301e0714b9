import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { checkedLookup, type Resolve } from '../../src/net/checked-lookup.ts';

function ask(resolve: Resolve, { allowPrivate = false, all = true } = {}): Promise<string | LookupAddress[]> {
  return new Promise((done, refused) => {
    checkedLookup(resolve, allowPrivate)('host.example', { all }, (error, address) =>
      error === null ? done(address) : refused(error),
    );
  });
}

const PRIVATE = { name: 'Failure', code: 'URL_NOT_ALLOWED', retryable: false };

describe('the checked lookup', () => {
  it('returns exactly the checked addresses, with one query', async () => {
    const asked: string[] = [];
    const addresses = await ask(async (hostname) => {
      asked.push(hostname);
      return ['8.8.8.8', '2606:4700:4700::1111'];
    });
    expect(addresses).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
    expect(asked).toEqual(['host.example']);
    expect(await ask(async () => ['8.8.8.8', '1.1.1.1'], { all: false })).toBe('8.8.8.8');
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a public and a private one', ['8.8.8.8', '10.0.0.1']],
    ['a private and a public one', ['169.254.169.254', '8.8.8.8']],
    ['a public IPv4 and a private IPv6', ['8.8.8.8', 'fd00::1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['a word in place of an address', ['8.8.8.8', 'localhost']],
  ])('refuses a name with %s', async (_, answers) => {
    await expect(ask(async () => answers)).rejects.toMatchObject(PRIVATE);
    await expect(ask(async () => answers, { all: false })).rejects.toMatchObject(PRIVATE);
  });

  it('refuses a name that was public at first and is private afterwards', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const rebinding: Resolve = async () => answers.shift()!;
    expect(await ask(rebinding)).toEqual([{ address: '8.8.8.8', family: 4 }]);
    await expect(ask(rebinding)).rejects.toMatchObject(PRIVATE);
  });

  it('allows a private address for an allowed host', async () => {
    expect(await ask(async () => ['10.0.0.1'], { allowPrivate: true })).toEqual([{ address: '10.0.0.1', family: 4 }]);
  });

  it('reports that a name does not exist or has no address', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    await expect(ask(() => Promise.reject(missing))).rejects.toBe(missing);
    await expect(ask(async () => [])).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
