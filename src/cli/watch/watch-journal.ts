import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, parse as parsePath, relative } from 'node:path';
import { freeName } from '../save-file.ts';

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
  /** Path of the result; in the journal, from its folder */
  result?: string;
  /** Of a failure */
  code?: string | null;
  reason?: string;
}

/** What may follow the name of an original in that of its result: a number, and the extension. */
const VARIANT = /^(-\d+)?(\.[^.]*)?$/;
const JOURNAL = '.burnish-watch.ndjson';
const FAILURES = 'failures.ndjson';

/**
 * Remembers what happened to each original, in the folder of the results, so that a restart repeats nothing. A line that was
 * cut off is left out. Failed files are also listed in `failures.ndjson`.
 * @throws the error of the file system for a folder that is not writable
 */
export function openJournal(folder: string) {
  const path = join(folder, JOURNAL);
  const files = new Map<string, WatchedFile>();
  /** The original of each result */
  const owners = new Map<string, string>();
  // Shows at the start whether the folder is writable, before anything is paid.
  appendFileSync(path, '');
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const entry = parse(line);
    if (entry !== undefined) remember(entry);
  }

  return {
    /** Whether this version of the original has ended. */
    hasEnded({ file, size, mtimeMs }: Pick<WatchedFile, 'file' | 'size' | 'mtimeMs'>): boolean {
      const entry = files.get(file);
      return entry !== undefined && entry.state !== 'SAVING' && entry.size === size && entry.mtimeMs === mtimeMs;
    },

    /**
     * The path for the result of an original: that of its earlier result, also of one that was being saved. Otherwise it is the
     * first free name, such as `photo-1.jpg` beside the result of another `photo`.
     * @param wanted the path with the usual name
     */
    pathFor(file: string, wanted: string): string {
      const earlier = files.get(file)?.result;
      const { dir, name, ext } = parsePath(relative(folder, wanted));
      const isVariant =
        earlier?.startsWith(join(dir, name)) === true && VARIANT.test(earlier.slice(join(dir, name).length));
      if (earlier !== undefined && isVariant && parsePath(earlier).ext === ext) return join(folder, earlier);
      return freeName(wanted, (path) => !owners.has(relative(folder, path)) && !existsSync(path));
    },

    record(entry: WatchedFile): void {
      const result = entry.result === undefined ? files.get(entry.file)?.result : relative(folder, entry.result);
      const whole = result === undefined ? entry : { ...entry, result };
      const listed = entry.state === 'FAILED' || files.get(entry.file)?.state === 'FAILED';
      // The line break comes first: it ends a line that a death or a full disk has cut off.
      appendFileSync(path, `\n${JSON.stringify(whole)}`);
      remember(whole);
      if (listed) writeFailures();
    },
  };

  function remember(entry: WatchedFile): void {
    files.set(entry.file, entry);
    if (entry.result !== undefined) owners.set(entry.result, entry.file);
  }

  function writeFailures(): void {
    const failed = [...files.values()].filter(({ state }) => state === 'FAILED');
    const lines = failed.map(({ file, code = null, reason }) => `${JSON.stringify({ file, code, reason })}\n`);
    const temporary = join(folder, `.${FAILURES}.part`);
    writeFileSync(temporary, lines.join(''));
    renameSync(temporary, join(folder, FAILURES));
  }
}

function parse(line: string): WatchedFile | undefined {
  try {
    return JSON.parse(line) as WatchedFile;
  } catch {
    return undefined;
  }
}
