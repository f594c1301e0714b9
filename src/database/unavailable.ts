/**
 * SQLSTATE codes and classes of a server that is temporarily unable to serve (PostgreSQL's manual, appendix A). A
 * class is the first two characters.
 */
const UNAVAILABLE_STATES: readonly string[] = [
  '08', // connection exception
  '53', // insufficient resources: disk full, out of memory, too many connections
  '58', // system error, such as a failed read or write of a file
  '57P', // operator intervention: shutdown, crash, starting up
  '25006', // read-only: a standby that is not the primary yet
  '40', // rolled back by a conflict: deadlock, serialization failure
];

/**
 * The database is unreachable or temporarily unable to serve. The query is not at fault and may succeed later. The
 * statement may have taken effect: a lost connection can lose the response of a commit.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** See `failedMachinery` */
  readonly machinery = 'database';

  constructor(cause: unknown, message = 'The database cannot be reached.') {
    super(message, { cause });
  }
}

/** @param state SQLSTATE of an error in the server's response */
export function isUnavailableState(state: string | undefined): boolean {
  return state !== undefined && UNAVAILABLE_STATES.some((prefix) => state.startsWith(prefix));
}
