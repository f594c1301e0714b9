/** PostgreSQL's SQLSTATE `disk_full` (PostgreSQL's manual, appendix A). */
const DISK_FULL = '53100';

/** Whether a query failed because the database's disk is full; the query builder wraps what the driver says. */
export function isDiskFull(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    if ('code' in each && each.code === DISK_FULL) return true;
  }
  return false;
}
