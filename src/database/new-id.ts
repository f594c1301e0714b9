import { randomBytes } from 'node:crypto';
import { timeSortableId, type IdPrefix } from '../domain/ids.ts';

/** Creates an id from the current time and 80 random bits. */
export function newId(prefix: IdPrefix, nowMs: number): string {
  return timeSortableId(prefix, nowMs, randomBytes(10));
}
