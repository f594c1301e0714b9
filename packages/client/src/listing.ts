import type { CallOptions, Transport } from './transport.ts';
import type { Listing } from './types.ts';

export interface ListOptions {
  /** Items of a page, 1 to 100 */
  limit?: number;
  signal?: AbortSignal;
}

/** Yields the items of a list, and reads its pages when they are needed. */
export async function* eachItem<Item>(
  transport: Transport,
  path: string,
  { signal, ...filter }: ListOptions,
): AsyncGenerator<Item, void, undefined> {
  const query = filter as CallOptions['query'];
  let after: string | undefined;
  do {
    const page = await transport.json<Listing<Item>>('GET', path, { query: { ...query, after }, signal });
    yield* page.items;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
