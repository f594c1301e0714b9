import { beforeAll, describe, expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

type Item = Record<string, string>;

/** Lists of at most 100 items, with a field of their items that the test knows. */
const LISTS = [
  ['/v1/presets', 'name'],
  ['/v1/webhooks', 'url'],
  ['/v1/api-keys', 'name'],
] as const;
const NAMES = ['a-b', 'ab', 'b', 'c'];

beforeAll(async () => {
  for (const name of [...NAMES].reverse()) await send('PUT', `/v1/presets/${name}`, { body: { enhancements: [{}] } });
  for (const name of NAMES) {
    await send('POST', '/v1/webhooks', { body: { url: `https://example.com/${name}` } });
    await send('POST', '/v1/api-keys', { body: { name } });
  }
});

async function page(path: string): Promise<{ items: Item[]; next: string | null; link: string | null }> {
  const response = await send('GET', path);
  expect(response.status).toBe(200);
  return { ...(await response.json()), link: response.headers.get('link') };
}

describe.each(LISTS)('%s', (path, field) => {
  const known = (items: Item[]): string[] => items.map((item) => item[field]!);

  test('is one page by default, and has the same items in pages', async () => {
    const { items: all, next } = await page(path);
    expect(next).toBeNull();
    expect(known(all).filter((text) => NAMES.some((name) => text.endsWith(name)))).toHaveLength(NAMES.length);
    const seen: Item[] = [];
    let address: string | undefined = `${path}?limit=3`;
    while (address !== undefined) {
      const { items, link }: Awaited<ReturnType<typeof page>> = await page(address);
      expect(items.length).toBeLessThanOrEqual(3);
      seen.push(...items);
      address = /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1];
    }
    expect(known(seen)).toEqual(known(all));
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'after=x', 'after='])('refuses %s', async (query) => {
    const response = await send('GET', `${path}?${query}`);
    const { code, field: named } = await response.json();
    expect([response.status, code, named]).toEqual([400, 'BAD_USER_INPUT', query.split('=')[0]]);
  });
});

test('a page goes on after an item that was deleted meanwhile', async () => {
  const { items, next } = await page('/v1/presets?limit=2');
  await send('DELETE', `/v1/presets/${items[1]!['name']}`);
  const rest = await page(`/v1/presets?limit=2&after=${next}`);
  expect(rest.items.map(({ name }) => name)).toEqual(['b', 'c']);
});
