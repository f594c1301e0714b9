import { customType } from 'drizzle-orm/pg-core';

/** A caller's URL, encrypted by `secret-addresses.ts`. No other text fits into its column. */
export type SealedAddress = string & { readonly kind: 'sealed address' };

export const sealedAddress = customType<{ data: SealedAddress; driverData: string }>({ dataType: () => 'text' });

/** Whether `isoTime` stores a time. @param time ISO 8601 in UTC. PostgreSQL reads neither the year 0 nor one with a sign */
export const isStorableTime = (time: string): boolean => /^(?!0000)\d{4}-/.test(time);

/** Times that the code has no word for, `infinity` and years before Christ, become the last or first one that it has. */
function readTime(text: string): string {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  return text === 'infinity' ? '9999-12-31T23:59:59.999Z' : '0001-01-01T00:00:00.000Z';
}

/** A time: `timestamptz` with milliseconds in the database, ISO 8601 in UTC with milliseconds and `Z` in the code. */
export const isoTime = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: readTime,
});
