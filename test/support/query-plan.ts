import { sql } from 'drizzle-orm';
import type { Database } from '../../src/database/database.ts';

/**
 * The plan of a query by drizzle, as text.
 * @param avoid ways that the planner prefers for the small tables of a test, such as `seqscan` and `sort`
 */
export async function queryPlan({ orm }: Database, query: unknown, avoid: readonly string[]): Promise<string> {
  const { sql: text, params } = (query as { toSQL(): { sql: string; params: unknown[] } }).toSQL();
  const explained = text.replace(/\$(\d+)/g, (_, number) => `'${String(params[Number(number) - 1])}'`);
  const plan = await orm.transaction(async (transaction) => {
    for (const way of avoid) await transaction.execute(sql.raw(`set local enable_${way} = off`));
    return await transaction.execute(sql.raw(`explain ${explained}`));
  });
  return JSON.stringify(plan);
}
