import { open } from 'node:fs/promises';
import { UsageError } from '../command-error.ts';

/** Most bytes of a file with one password and a line end. */
const MAX_BYTES = 1024;
/** Most characters of a password that the service accepts. */
const MAX_LENGTH = 127;
const STDIN = '/dev/stdin';

/**
 * Reads the password of PDFs from a file. A command line appears in lists of processes and in histories of shells, a file does not.
 * @param path of the file; `-` is stdin
 * @throws UsageError
 */
export async function readPassword(path: string): Promise<string> {
  const name = path === '-' ? 'stdin' : path;
  const text = await firstBytes(path === '-' ? STDIN : path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The password file ${name} cannot be read (${error.code ?? 'unknown reason'}).`);
  });
  const password = text.replace(/\r?\n$/, '');
  if (password.length >= 1 && password.length <= MAX_LENGTH && !password.includes('\n')) return password;
  throw new UsageError(`Expected one line of 1 to ${MAX_LENGTH} characters in the password file ${name}.`);
}

async function firstBytes(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(MAX_BYTES);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, MAX_BYTES - length);
      length += bytesRead;
      if (bytesRead === 0 || length === MAX_BYTES) return buffer.toString('utf8', 0, length);
    }
  } finally {
    await file.close();
  }
}
