import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatNumber, MAX_FILE_SIZE_BYTES } from '@burnish/contract';
import { runEnhance, type EnhanceDeps } from './enhance.ts';
import type { EnhanceOptions } from './enhance-options.ts';

export interface PipeDeps extends EnhanceDeps {
  stdin?: Readable;
  stdout?: Writable;
  /** Most bytes of the input; by default as many as the largest file may have */
  maxBytes?: number;
}

/**
 * `burnish enhance -`: reads one file from stdin and writes its result to stdout. Table, progress and JSON are written to stderr.
 * @returns the exit code of `runEnhance`; without a result stdout remains empty
 */
export async function enhancePipe(options: EnhanceOptions, deps: PipeDeps): Promise<number> {
  const { stdin = process.stdin, stdout = process.stdout, err = process.stderr, ...others } = deps;
  const { maxBytes = MAX_FILE_SIZE_BYTES, ...rest } = others;
  if (options.files.length > 1) {
    err.write('- reads one file from stdin. Remove the other files.\n');
    return 2;
  }
  if (options.passwordFile === '-') {
    err.write('Stdin contains the input file. Use a file for --password-file.\n');
    return 2;
  }
  // Only the caller can read the folder and its files: the process has a private umask.
  const folder = await mkdtemp(join(tmpdir(), 'burnish-pipe-'));
  try {
    const [input, out] = [join(folder, 'stdin'), join(folder, 'out')];
    if (!(await receive(stdin, input, maxBytes))) {
      err.write(`The input is larger than ${formatNumber(maxBytes)} bytes, the maximum size of a file.\n`);
      return 1;
    }
    const code = await runEnhance({ ...options, files: [input], out }, { ...rest, out: err, err, piped: true });
    const [name] = code === 0 ? await readdir(out) : [];
    if (name !== undefined) await pipeline(createReadStream(join(out, name)), stdout, { end: false });
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns false where there are more than `maxBytes` */
async function receive(stdin: Readable, path: string, maxBytes: number): Promise<boolean> {
  let bytes = 0;
  await pipeline(
    async function* () {
      for await (const chunk of stdin as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxBytes) return;
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  return bytes <= maxBytes;
}
