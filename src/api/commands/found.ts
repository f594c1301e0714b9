import { Failure } from '../../domain/failures.ts';

/** @throws Failure NOT_FOUND, the same for a record that is unknown and for one of another account */
export function found<T>(record: T | undefined): T {
  if (record === undefined) throw new Failure('NOT_FOUND');
  return record;
}
