import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the watch knows about one original. */
export interface WatchedFile {
  /** Path in the watched folder */
  file: string;
  /** Bytes */
  size: number;
  /** Time of the last change, milliseconds since the epoch */
  mtimeMs: number;
  /** SAVING: the result is about to be saved at its path */
  state: 'SAVING' | 'FINISHED' | 'FAILED';
  /** Path of the result */
  result?: string;
  /** Of a failure */
  code?: string | null;
  reason?: string;
}

const JOURNAL = '.burnish-watch.ndjson';
export const FAILURES = 'failures.ndjson';

/**
 * Remembers what happened to each original, in the folder of the results, so that a restart repeats nothing. A line that a
 * death cut off is left out. Failed files are also listed in `failures.ndjson`.
 */
export function openJournal(folder: string) {
  const path = join(folder, JOURNAL);
  const files = new Map<string, WatchedFile>();
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const line of text.split('\n')) {
    const entry = parse(line);
    if (entry !== undefined) files.set(entry.file, entry);
  }
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');

  return {
    /** Whether this version of the original has ended. */
    hasEnded({ file, size, mtimeMs }: Pick<WatchedFile, 'file' | 'size' | 'mtimeMs'>): boolean {
      const entry = files.get(file);
      return entry !== undefined && entry.state !== 'SAVING' && entry.size === size && entry.mtimeMs === mtimeMs;
    },

    /** The path of an earlier result of this original, also of one that was being saved. */
    resultOf: (file: string): string | undefined => files.get(file)?.result,

    record(entry: WatchedFile): void {
      const { result = files.get(entry.file)?.result } = entry;
      const whole = result === undefined ? entry : { ...entry, result };
      const listed = entry.state === 'FAILED' || files.get(entry.file)?.state === 'FAILED';
      files.set(entry.file, whole);
      appendFileSync(path, `${JSON.stringify(whole)}\n`);
      if (listed) writeFailures();
    },
  };

  function writeFailures(): void {
    const failed = [...files.values()].filter(({ state }) => state === 'FAILED');
    const lines = failed.map(({ file, code = null, reason }) => `${JSON.stringify({ file, code, reason })}\n`);
    const temporary = join(folder, `.${FAILURES}.part`);
    writeFileSync(temporary, lines.join(''));
    renameSync(temporary, join(folder, FAILURES));
  }
}

export type WatchJournal = ReturnType<typeof openJournal>;

function parse(line: string): WatchedFile | undefined {
  try {
    return JSON.parse(line) as WatchedFile;
  } catch {
    return undefined;
  }
}
