/**
 * SQLSTATE codes and classes of a server that cannot serve now and may serve later (PostgreSQL's manual, appendix A).
 * A class is the first two characters.
 */
const UNAVAILABLE_STATES: readonly string[] = [
  '08', // connection exception
  '53', // insufficient resources: disk full, out of memory, too many connections
  '58', // system error, such as a failed read or write of a file
  '57P', // operator intervention: shutdown, crash, starting up
  '25006', // read-only: a standby that is not the primary yet
  '40', // rolled back because of others: deadlock, serialization
];

/** Links of a chain of causes that are looked at; the query builder adds one. */
const MAX_CAUSES = 8;

/**
 * The database cannot be reached or cannot serve now. The query is not at fault, and the same one may succeed later. A
 * statement that ended so may have taken effect: a lost connection takes the answer to a commit with it.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** See `failedMachinery` */
  readonly machinery = 'database';

  constructor(cause: unknown, message = 'The database cannot be reached.') {
    super(message, { cause });
  }
}

/** Whether an error comes from a database that cannot be reached or cannot serve now, however deep it is wrapped. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < MAX_CAUSES; each = each.cause, depth += 1) {
    if (each instanceof DatabaseUnavailable) return true;
  }
  return false;
}

/** @param state SQLSTATE of an error that the server answered */
export function isUnavailableState(state: string | undefined): boolean {
  return state !== undefined && UNAVAILABLE_STATES.some((prefix) => state.startsWith(prefix));
}
