import { customType } from 'drizzle-orm/pg-core';

/** A time: `timestamptz` with milliseconds in the database, ISO 8601 in UTC with milliseconds and `Z` in the code. */
export const isoTime = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: (text) => new Date(text).toISOString(),
});
