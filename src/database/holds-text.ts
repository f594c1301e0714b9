import { sql, type Column, type SQL } from 'drizzle-orm';

/** Whether a column holds a text, in whatever case. What LIKE reads as a pattern stands for itself. */
export function holdsText(column: Column, text: string): SQL {
  const literal = text.replace(/[\\%_]/g, (sign) => `\\${sign}`);
  return sql`${column} ilike ${`%${literal}%`}`;
}
