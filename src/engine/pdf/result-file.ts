import { createHash } from 'node:crypto';
import { open, rename, type FileHandle } from 'node:fs/promises';
import type { EncodedImage } from './image-encoder.ts';
import type { PdfPlan } from './plan.ts';
import type { ImageWork } from './work.ts';

/** What stands before the data of a result: everything that the image's dictionary has to say. */
export type ResultHeader = Omit<EncodedImage, 'data'> & {
  number: number;
  bytes: number;
  sha256: string;
  asked: string;
};

/** A result on disk. */
export interface StoredResult {
  path: string;
  header: ResultHeader;
  /** Where the data begins, bytes */
  dataStart: number;
}

/** An image that stays as it is: it could not be enhanced after all and is not charged, or it needed nothing. */
export interface KeptImage {
  number: number;
  kept: 'damaged' | 'needs-nothing';
  asked: string;
}

const HEADER_BYTES = 512;

/** Results are files named by the place of their image in the plan: whoever hands out spans need not read the plan. */
export const resultName = (index: number): string => String(index);

/** What was asked for, in short; it stands in the result, so that the result of another plan is never taken for this one's. */
export function askedOf({ parameters, facts }: PdfPlan, work: ImageWork): string {
  const asked = JSON.stringify([work, parameters.customColorConfig, facts.fileBytes]);
  return createHash('sha256').update(asked).digest('hex').slice(0, 16);
}

/** Writes a result under a temporary name and renames it: a file that is there is whole. */
export async function writeResult(path: string, header: ResultHeader | KeptImage, data?: Buffer): Promise<void> {
  const file = await open(`${path}.part`, 'w');
  try {
    await file.writeFile(JSON.stringify(header).padEnd(HEADER_BYTES));
    if (data) await file.writeFile(data);
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

/** @returns undefined when the result is not there, not whole, or not what was asked for */
export async function readResult(path: string, asked: string): Promise<StoredResult | KeptImage | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead < HEADER_BYTES) return undefined;
    const header = JSON.parse(buffer.toString('utf8')) as ResultHeader | KeptImage;
    if (header.asked !== asked) return undefined;
    if ('kept' in header) return header;
    return (await file.stat()).size === HEADER_BYTES + header.bytes
      ? { path, header, dataStart: HEADER_BYTES }
      : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
