import { Failure } from '../../domain/failures.ts';
import { isId } from '../../domain/ids.ts';
import type { IdPrefix } from '../../domain/ids.ts';

/** @throws Failure NOT_FOUND, the same for a record that is unknown and for one of another account */
export function requireRecord<T>(record: T | undefined): T {
  if (record === undefined) throw new Failure('NOT_FOUND');
  return record;
}

/**
 * Reads a record by an id that a caller wrote. A text that cannot be an id does not reach the database.
 * @throws Failure NOT_FOUND
 */
export async function requireById<T>(
  prefix: IdPrefix,
  id: string,
  read: (id: string) => Promise<T | undefined>,
): Promise<T> {
  return requireRecord(isId(prefix, id) ? await read(id) : undefined);
}
