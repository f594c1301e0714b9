/** What the representation of a record says that this version cannot read: damaged, or from a later version. */
const UNREADABLE = {
  errorCode: 'INTERNAL',
  errorDetail: 'Burnish cannot read this record. Give the operator of this instance its id.',
} as const;

/**
 * Represents a record. An unreadable one is shown with its certain fields, so that it hides no other record of its list.
 * @param bare the certain part of the record
 * @param note receives the reason, for the log
 */
export function representReadably<Recorded extends { id: string }, Shown extends object>(
  record: Recorded,
  represent: (record: Recorded) => Shown,
  bare: (record: Recorded) => Recorded,
  note: (id: string, error: unknown) => void,
): Shown {
  try {
    return represent(record);
  } catch (error) {
    note(record.id, error);
    return { ...represent(bare(record)), ...UNREADABLE };
  }
}

/** @throws TypeError for a value that this version does not know */
export function assertKnown(values: readonly string[], value: string | null): void {
  if (value !== null && !values.includes(value)) throw new TypeError('The record has a value that is not known.');
}
