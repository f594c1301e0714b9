import type { CallerLabels } from '@burnish/contract';

/** A record with optional labels. */
export type MaybeLabelled<Item> = Item & Partial<CallerLabels>;

/** Extracts the labels of an order or a record. */
export function toLabels({ reference, customMetadata }: Partial<CallerLabels>): CallerLabels {
  return { reference: reference ?? null, customMetadata: customMetadata ?? null };
}

/** Removes the labels from a record, as workflows carry it. */
export function withoutLabels<Item extends object>(item: Item): Omit<Item, keyof CallerLabels> {
  const { reference: _reference, customMetadata: _metadata, ...rest } = item as Item & Partial<CallerLabels>;
  return rest;
}
