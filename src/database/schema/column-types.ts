import { customType } from 'drizzle-orm/pg-core';

/** Whether `isoTime` stores a time. @param time ISO 8601 in UTC. PostgreSQL reads neither the year 0 nor one with a sign */
export const isStorableTime = (time: string): boolean => /^(?!0000)\d{4}-/.test(time);

/** A time: `timestamptz` with milliseconds in the database, ISO 8601 in UTC with milliseconds and `Z` in the code. */
export const isoTime = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: (text) => new Date(text).toISOString(),
});
