import { z } from 'zod';
import { isStorableTime } from '../../database/schema/column-types.ts';

/** A time of a request: ISO 8601 with a time zone. */
export const zonedTime = z.iso.datetime({ offset: true }).refine((text) => {
  const ms = Date.parse(text);
  return Number.isFinite(ms) && isStorableTime(new Date(ms).toISOString());
}, 'expected a year from 1 to 9999');

/** A time of a request, parsed as UTC with milliseconds. */
export const moment = zonedTime.transform((text) => new Date(text).toISOString());

/** Describes a parsed time as a date-time in OpenAPI. */
export const asTime = { override: { type: 'string' as const, format: 'date-time' } };
