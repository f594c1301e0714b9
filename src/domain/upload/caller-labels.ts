/** The largest number of characters of a reference. */
export const MAX_REFERENCE_LENGTH = 200;
/** The largest size of custom metadata as JSON text in UTF-8, bytes. */
export const MAX_CUSTOM_METADATA_BYTES = 4_000;

/** A JSON object. Workflows never carry it, so that payloads stay small and Temporal holds no data of the caller's customers. */
export type CustomMetadata = Record<string, unknown>;

/** What a caller attaches to an upload or an enhancement at its creation. It never changes. */
export interface CallerLabels {
  /** The caller's own id, such as an order number; null where none was given */
  reference: string | null;
  customMetadata: CustomMetadata | null;
}

export type Labelled<Item> = Item & CallerLabels;
/** A record that may come without its labels. */
export type MaybeLabelled<Item> = Item & Partial<CallerLabels>;

/** The labels alone, of an order or a record. */
export function labelsOf({ reference, customMetadata }: Partial<CallerLabels>): CallerLabels {
  return { reference: reference ?? null, customMetadata: customMetadata ?? null };
}

/** The record without labels, as workflows carry it. */
export function withoutLabels<Item extends object>(item: Item): Omit<Item, keyof CallerLabels> {
  const { reference: _reference, customMetadata: _metadata, ...rest } = item as Item & Partial<CallerLabels>;
  return rest;
}
