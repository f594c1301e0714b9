import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { startDeadline } from '../process/deadline.ts';
import { runCommand } from '../process/run-command.ts';
import { hashFile } from '../process/hash-file.ts';

/**
 * The Temporal CLI to fetch for a machine without one. It contains the whole server (1.32.0) and the Web UI. A new
 * version needs the new hashes here and in `server-binary.ts`.
 */
export const TEMPORAL_CLI_VERSION = '1.9.1';

/** SHA-256 of the program by platform, in hexadecimal. */
const TEMPORAL_CLI_HASHES: Readonly<Record<string, string>> = {
  'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
};

/** SHA-256 of the program for this machine. A program from any source must have it. Empty where there is no such program. */
export const TEMPORAL_CLI_SHA256 = TEMPORAL_CLI_HASHES[`${process.platform}-${process.arch}`] ?? '';

export const DOWNLOAD_URL = 'https://temporal.download/cli/';

/** Timeout in milliseconds for the service's response; without a connection, the next source should follow soon. */
const ANSWER_WITHIN = 5_000;
/** Timeout in milliseconds for the whole archive. */
const SAVED_WITHIN = 300_000;
/** Bytes; the archive of 1.9.1 has 45 MB. */
const LARGEST_ARCHIVE = 300_000_000;

/** Only its owner runs the program, and no one writes it. A new one replaces it. */
export const PROGRAM_MODE = 0o500;

/** Allows plain HTTP only for this machine, for tests. */
function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || hostname === '127.0.0.1';
}

const ArchiveInfo = z.object({
  archiveUrl: z.url({ protocol: /^https?$/ }).refine(isSafe),
  fileToExtract: z.string().regex(/^\w(?!.*\.\.)[\w./-]*$/),
});

export interface ServerDownloadOptions {
  target: string;
  url: string;
  /** SHA-256 of the program, in hexadecimal */
  sha256: string;
  signal?: AbortSignal | undefined;
}

/**
 * Fetches the `temporal` program like the SDK's own download (`EphemeralExe::get_or_download` in its core): request
 * the archive's address, fetch the archive, extract the one file. The SDK's version is unsuitable: it is in the
 * testing package only and starts a server with the program. It also has no timeout, accepts any version, and relies
 * on TLS alone.
 *
 * @throws Error when the service does not respond in time, does not support this machine, or sends a program without
 * a pinned hash
 */
export async function downloadServer({ target, url, sha256, signal }: ServerDownloadOptions): Promise<void> {
  const archive = await askForArchive(url, signal);
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}.download-`);
  try {
    const path = join(folder, 'archive.tar.gz');
    await withinTime(SAVED_WITHIN, signal, (limit) => save(archive.archiveUrl, path, limit));
    const limits = { env: process.env, timeoutMs: 120_000, signal };
    await runCommand('tar', ['-xzf', path, '-C', folder, archive.fileToExtract], limits);
    const program = join(folder, archive.fileToExtract);
    if ((await hashFile(program)) !== sha256) {
      throw new Error(`what ${new URL(url).host} sent does not have the SHA-256 that is pinned`);
    }
    await chmod(program, PROGRAM_MODE);
    await rename(program, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withinTime<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(ms, signal);
  return work(deadline.signal).finally(deadline.clear);
}

/**
 * Asks the service where the archive for this machine is.
 * @throws Error when it does not respond in time, or does not support this machine
 */
export function askForArchive(url: string, signal?: AbortSignal): Promise<z.infer<typeof ArchiveInfo>> {
  return withinTime(ANSWER_WITHIN, signal, (limit) => readArchiveInfo(url, limit));
}

async function readArchiveInfo(url: string, signal: AbortSignal): Promise<z.infer<typeof ArchiveInfo>> {
  const question = new URL(`v${TEMPORAL_CLI_VERSION}`, url);
  question.searchParams.set('arch', process.arch === 'x64' ? 'amd64' : process.arch);
  question.searchParams.set('platform', process.platform);
  question.searchParams.set('format', 'tar.gz');
  const response = await fetch(question, { signal }).catch(() => {
    throw new Error(`${question.host} cannot be reached`);
  });
  if (!response.ok) throw new Error(`${question.host} answered ${response.status}`);
  const info = ArchiveInfo.safeParse(await response.json());
  if (!info.success) throw new Error(`${question.host} sent an unknown response`);
  return info.data;
}

async function save(url: string, path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  // A redirect may lead to any address.
  if (!isSafe(response.url)) throw new Error(`${new URL(url).host} leads to an address without TLS`);
  if (!response.ok || response.body === null) throw new Error(`${new URL(url).host} answered ${response.status}`);
  let bytes = 0;
  await pipeline(
    Readable.fromWeb(response.body),
    async function* bounded(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.byteLength;
        if (bytes > LARGEST_ARCHIVE) throw new Error(`${new URL(url).host} sent more than ${LARGEST_ARCHIVE} bytes`);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
}
