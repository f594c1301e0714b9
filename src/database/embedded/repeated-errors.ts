/** Milliseconds after which an error that does not return is forgotten. */
const FORGOTTEN_MS = 10 * 60_000;
/** Maximum number of remembered messages; PostgreSQL's messages about files name the file. */
const REMEMBERED = 100;

/** Number of equal errors, and milliseconds between the first and the last of them, that show a lasting fault. */
const EQUAL = { count: 3, forMs: 1_000 };
/** The same for different errors in a row, with no statement in between that PostgreSQL executed. */
const IN_A_ROW = { count: 10, forMs: 3_000 };

interface Repetition {
  count: number;
  firstMs: number;
  lastMs: number;
  /** Whether PostgreSQL has been opened again because of it */
  acted: boolean;
}

/**
 * Recognizes errors that PostgreSQL keeps giving after its files are well again, such as for a file that it believes to
 * exist. Opening it again cures them. An error that returns afterwards is not such an error, and concerns its
 * statements only. Errors of statements and a full disk never count.
 */
export class RepeatedErrors {
  readonly #now: () => number;
  readonly #byMessage = new Map<string, Repetition>();
  #row: Pick<Repetition, 'count' | 'firstMs'> | undefined;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Notes the outcome of a statement.
   * @param error PostgreSQL's error; undefined if it executed the statement
   * @returns whether PostgreSQL must be opened again
   */
  note(error: { code?: string | undefined; message: string } | undefined): boolean {
    const state = error?.code ?? '';
    // A full disk (53100) ends by itself, once there is space.
    if (state === '53100') return false;
    if (error === undefined || !/^(58|XX|53)/.test(state)) {
      this.#row = undefined;
      return false;
    }
    // Only errors of the system (58) concern files. A caller's value can cause others, such as a lack of memory.
    const isLasting = state.startsWith('58') && this.#isLasting(`${state} ${error.message}`);
    return this.#isRow() || isLasting;
  }

  #isLasting(key: string): boolean {
    const now = this.#now();
    const known = this.#byMessage.get(key);
    const repetition =
      known !== undefined && now - known.lastMs < FORGOTTEN_MS
        ? known
        : { count: 0, firstMs: now, lastMs: now, acted: false };
    this.#byMessage.delete(key);
    this.#byMessage.set(key, repetition);
    if (this.#byMessage.size > REMEMBERED) this.#byMessage.delete(this.#byMessage.keys().next().value!);
    repetition.count += 1;
    repetition.lastMs = now;
    if (repetition.acted || !isReached(repetition, EQUAL, now)) return false;
    repetition.acted = true;
    return true;
  }

  #isRow(): boolean {
    const now = this.#now();
    this.#row ??= { count: 0, firstMs: now };
    this.#row.count += 1;
    if (!isReached(this.#row, IN_A_ROW, now)) return false;
    this.#row = undefined;
    return true;
  }
}

const isReached = (
  { count, firstMs }: Pick<Repetition, 'count' | 'firstMs'>,
  limit: { count: number; forMs: number },
  now: number,
): boolean => count >= limit.count && now - firstMs >= limit.forMs;
