import { randomBytes } from 'node:crypto';
import { timeSortableId, type IdPrefix } from '../domain/ids.ts';

/** A new id with the present time and 80 random bits. */
export function newId(prefix: IdPrefix, nowMs: number): string {
  return timeSortableId(prefix, nowMs, randomBytes(10));
}
