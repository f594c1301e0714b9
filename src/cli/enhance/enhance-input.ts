import { open, stat } from 'node:fs/promises';
import type { MediaKind } from '@burnish/contract';

/** A PDF may have other bytes before its header (ISO 32000-2, Annex I: within the first 1,024). */
const HEAD_BYTES = 1_024;

export interface InputFile {
  path: string;
  kind: MediaKind;
  /** Bytes */
  size: number;
}

/** Checks a file before it is sent. @returns a sentence if it cannot be sent */
export async function inspectInput(path: string): Promise<InputFile | string> {
  let file;
  try {
    // Before it is opened, since a pipe without a writer would block.
    const facts = await stat(path);
    if (facts.isDirectory()) return 'This is a folder; name the files in it.';
    if (!facts.isFile()) return 'This is not a regular file.';
    file = await open(path, 'r');
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const isPdf = buffer.subarray(0, bytesRead).includes('%PDF-');
    return { path, kind: isPdf ? 'pdf' : 'image', size: facts.size };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'There is no such file. Check its path.';
    if (code === 'EACCES' || code === 'EPERM') return 'This user has no read permission for the file.';
    return `This file cannot be read (${code ?? 'unknown reason'}).`;
  } finally {
    await file?.close();
  }
}
