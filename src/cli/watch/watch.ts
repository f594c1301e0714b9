import { createHash } from 'node:crypto';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { Burnish, type BurnishOptions } from '@burnish/client';
import { FolderInUse, lockFolder, type FolderLock } from '../../process/folder-lock.ts';
import { callersUmask } from '../../process/private-umask.ts';
import { CommandError } from '../command-error.ts';
import { describeError } from '../describe-error.ts';
import { enhanceFile, type FileOutcome } from '../enhance/enhance-file.ts';
import { inspectInput } from '../enhance/enhance-input.ts';
import { assertManyResults, readParameters } from '../enhance/enhance-options.ts';
import { createProgress, type Output } from '../enhance/enhance-progress.ts';
import { filesIn } from '../files-in.ts';
import { printable, printableName } from '../printable.ts';
import { openJournal, type WatchedFile } from './watch-journal.ts';
import type { WatchOptions } from './watch-command.ts';

const FILES_AT_ONCE = 4;
/** Folder of the claims of running watches, in the folder of the results. */
const CLAIMS = '.burnish-watch-locks';
/** Milliseconds between two looks at the folder. A file is sent once two looks find the same size and time of change. */
const LOOK_MS = 2_000;
/** Minimum pause after a look, as a multiple of its time: a look at 100,000 files takes more than a second of CPU. */
const PAUSE_FACTOR = 4;

/** Milliseconds before a file is sent again after trouble of the instance, of the account or of this machine. */
const AGAIN_MS = 15_000;
const LATER_MS = 10 * 60_000;
/** Codes of such trouble. With all other codes the file itself is at fault. */
const PASSING: Readonly<Record<string, number>> = {
  UNREACHABLE: AGAIN_MS,
  UNAVAILABLE: AGAIN_MS,
  INVALID_RESPONSE: AGAIN_MS,
  RATE_LIMITED: AGAIN_MS,
  UNAUTHENTICATED: LATER_MS,
  FORBIDDEN: LATER_MS,
  INSUFFICIENT_CREDITS: LATER_MS,
  CANCELLED: LATER_MS,
};
/** Codes of an ended enhancement, which a repetition with the same key would only read again. */
const ENDED: readonly (string | null)[] = ['INSUFFICIENT_CREDITS', 'CANCELLED'];

/** What Node.js puts in place of bytes that are not UTF-8, so that the name finds no file. */
const REPLACEMENT = '\ufffd';
const NOT_UTF8 = 'The name of the file is not UTF-8, so it cannot be opened. Rename it.';

export interface WatchDeps {
  instance: BurnishOptions;
  /** No further file starts; running ones end */
  signal: AbortSignal;
  out?: Output;
  err?: Output;
  lookMs?: number;
}

type Version = Pick<WatchedFile, 'file' | 'size' | 'mtimeMs'>;

/**
 * `burnish watch`: enhances each file of a folder, and each one that comes, until the signal. The key of an upload derives
 * from the version of the file, so a watch that died finds its work again. It changes nothing in the watched folder, and waits
 * while that is away.
 * @throws CommandError for folders that cannot be used at the start, and for results that another watch writes
 */
export async function watchFolder(options: WatchOptions, deps: WatchDeps): Promise<void> {
  const parameters = readParameters(options);
  assertManyResults(parameters);
  const { folder, out: results } = options;
  const except = await prepareFolders(folder, results);
  const lock = await lockResults(results);
  try {
    await watch(options, { parameters, except, lock }, deps);
  } finally {
    await lock.release();
  }
}

interface Prepared {
  parameters: ReturnType<typeof readParameters>;
  except: string | undefined;
  lock: FolderLock;
}

async function watch(
  { folder, out: results, json = false }: WatchOptions,
  { parameters, except, lock }: Prepared,
  { instance, signal, out = process.stdout, err = process.stderr, lookMs = LOOK_MS }: WatchDeps,
): Promise<void> {
  const client = new Burnish(instance);
  const journal = openJournal(results);
  const progress = createProgress(json ? err : out);
  const limit = pLimit(FILES_AT_ONCE);
  const never = new AbortController().signal;
  let seen = new Map<string, Version>();
  /** Sentences about folders that cannot be read */
  let told = new Set<string>();
  const busy = new Map<string, Promise<void>>();
  const pausedUntil = new Map<string, number>();
  const attempts = new Map<string, number>();

  /** Another folder in the place of the results hides the files saved in it. @throws CommandError */
  function assertResultsHere(): void {
    if (lock.isHeld()) return;
    throw new CommandError(`The folder of the results, ${results}, was replaced. Mount it, or start the watch again.`);
  }

  function record(entry: WatchedFile): void {
    assertResultsHere();
    journal.record(entry);
  }

  function ended(entry: WatchedFile): void {
    record(entry);
    const { file, state, result = null, code = null, reason = null } = entry;
    if (json) out.write(`${printable(JSON.stringify({ file, state, result, code, reason }))}\n`);
  }

  /** Lists a file that cannot be read. */
  function refuse(path: string, version: Version, reason: string): void {
    progress.line(`${printableName(path)}: ${reason}`);
    ended({ ...version, state: 'FAILED', code: null, reason });
  }

  async function enhance(path: string, version: Version): Promise<void> {
    const { file } = version;
    // A file that was removed, renamed or changed while others ran is none, or another version at the next look.
    if (signal.aborted || !lock.isHeld() || !(await isUnchanged(path, version))) return;
    const input = await inspectInput(path);
    if (typeof input === 'string') {
      if (await isUnchanged(path, version)) refuse(path, version, input);
      return;
    }
    const target = join(results, dirname(file));
    await mkdir(target, { recursive: true, mode: 0o777 & ~callersUmask() });
    const ordered = parameters[input.kind].parameters;
    const order = JSON.stringify([version, ordered, attempts.get(file) ?? 0]);
    const outcome = await enhanceFile(client, input, {
      parameters: ordered,
      batch: true,
      idempotencyKey: createHash('sha256').update(order).digest('hex'),
      folder: target,
      // Only a result of the same original is replaced. A watch that dies after this line continues with the same path.
      place(wanted) {
        const result = journal.pathFor(file, wanted);
        record({ ...version, state: 'SAVING', result });
        return { path: result, overwrite: true };
      },
      progress,
      signal: never,
      piped: false,
    });
    // One that changed while it was sent is another version at the next look.
    if (outcome.state === 'FAILED' && !(await isUnchanged(path, version))) return;
    end(path, version, outcome);
  }

  function end(path: string, version: Version, { state, savedAs, error }: FileOutcome): void {
    const { file } = version;
    if (state === 'FINISHED' && savedAs !== null) {
      ended({ ...version, state: 'FINISHED', result: savedAs });
      return;
    }
    const { code = null, sentence = '' } = error ?? {};
    // Without a code, the result could not be saved.
    const pauseMs = code === null ? AGAIN_MS : PASSING[code];
    if (pauseMs === undefined) ended({ ...version, state: 'FAILED', code, reason: sentence });
    else pause(file, pauseMs);
    if (ENDED.includes(code)) attempts.set(file, (attempts.get(file) ?? 0) + 1);
    progress.line(
      `${printableName(path)}: ${sentence}${pauseMs === undefined ? '' : ' Burnish sends it again later.'}`,
    );
  }

  const pause = (file: string, ms: number): void => void pausedUntil.set(file, performance.now() + ms);

  async function look(): Promise<void> {
    assertResultsHere();
    const found = new Map<string, Version>();
    const unreadable = new Set<string>();
    const options = { except, onUnreadable: ({ message }: CommandError) => void unreadable.add(message) };
    for await (const { path, name: file } of filesIn(folder, options)) {
      const version = await readVersion(path, file);
      if (version === undefined) {
        const unnamed = { file, size: 0, mtimeMs: 0 };
        if (file.includes(REPLACEMENT) && !journal.hasEnded(unnamed)) refuse(path, unnamed, NOT_UTF8);
        continue;
      }
      found.set(file, version);
      const before = seen.get(file);
      const isWritten = before?.size === version.size && before.mtimeMs === version.mtimeMs;
      const isPaused = performance.now() < (pausedUntil.get(file) ?? 0);
      if (!isWritten || isPaused || busy.has(file) || journal.hasEnded(version)) continue;
      const work = limit(() => enhance(path, version))
        .catch((error: unknown) => {
          progress.line(`${printableName(path)}: ${describeError(error)} Burnish sends it again later.`);
          pause(file, AGAIN_MS);
        })
        .finally(() => busy.delete(file));
      busy.set(file, work);
    }
    seen = found;
    for (const message of unreadable) if (!told.has(message)) progress.line(`${message} Its files are left out.`);
    told = unreadable;
  }

  let outage: string | undefined;
  progress.line(`Watching ${printableName(folder)}. Press Ctrl-C to stop.`);
  try {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const trouble = await look().then(() => undefined, describeError);
      // A lost mount comes back, and is told once.
      if (trouble !== undefined && trouble !== outage)
        progress.line(`${trouble} Burnish looks again until it succeeds.`);
      outage = trouble;
      const pauseMs = Math.max(lookMs, PAUSE_FACTOR * (performance.now() - startedAt));
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(busy.values());
  } finally {
    progress.close();
  }
}

/** @returns undefined for a file that is gone */
async function readVersion(path: string, file: string): Promise<Version | undefined> {
  const facts = await stat(path).catch(() => undefined);
  return facts && { file, size: facts.size, mtimeMs: facts.mtimeMs };
}

async function isUnchanged(path: string, { file, size, mtimeMs }: Version): Promise<boolean> {
  const now = await readVersion(path, file);
  return now?.size === size && now.mtimeMs === mtimeMs;
}

/** @returns the folder of the results where it lies in the watched one, which leaves it out */
async function prepareFolders(folder: string, results: string): Promise<string | undefined> {
  const original = await realpath(folder).catch(() => undefined);
  if (original === undefined || !(await stat(original)).isDirectory())
    throw new CommandError(`There is no folder ${folder}. Name an existing folder.`);
  await mkdir(results, { recursive: true, mode: 0o777 & ~callersUmask() });
  const target = await realpath(results);
  if (`${original}${sep}`.startsWith(`${target}${sep}`))
    throw new CommandError('The folder of the results contains the originals. Set another folder with --out.');
  return target.startsWith(`${original}${sep}`) ? join(folder, target.slice(original.length + 1)) : undefined;
}

/** Two watches would take each other's journal and results for their own. */
async function lockResults(results: string): Promise<FolderLock> {
  try {
    return await lockFolder(join(results, CLAIMS));
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const remedy = 'Stop it, or set another folder with --out.';
    throw new CommandError(`Another watch, process ${error.pid}, saves its results in ${results}. ${remedy}`);
  }
}
