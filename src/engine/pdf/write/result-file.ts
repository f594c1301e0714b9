import { createHash } from 'node:crypto';
import { open, rename, type FileHandle } from 'node:fs/promises';
import type { EncodedObject } from '../enhance/enhance-image.ts';
import type { EncodedImage } from '../images/image-encoder.ts';
import type { PdfPlan } from '../analyze/plan.ts';
import type { ImageWork } from '../analyze/work.ts';

/** The part of a result that describes some data: the dictionary of its object. */
export type DataHeader = Omit<EncodedImage, 'data'> & { bytes: number; sha256: string };

/** Data in a result on disk. */
export interface StoredData {
  path: string;
  header: DataHeader;
  /** Where the data begins, bytes */
  dataStart: number;
}

/** An image object that is written anew. */
export interface StoredObject {
  /** Object number */
  number: number;
  /** Absent where its samples stay as they are */
  image?: StoredData;
  /** Its new mask */
  mask?: StoredData;
}

/** What became of a picture. */
export interface StoredResult {
  /** Object number of its first image */
  number: number;
  objects: StoredObject[];
  /** Bytes of all data */
  bytes: number;
}

/** A picture that stays as it is: it could not be enhanced after all or has one colour, and is not charged; or it needed nothing. */
export interface KeptImage {
  number: number;
  kept: 'damaged' | 'unknown-encoding' | 'single-color' | 'needs-nothing';
}

interface Header {
  asked: string;
  result: KeptImage | { number: number; objects: { number: number; image?: DataHeader; mask?: DataHeader }[] };
}

/** Digits in front of the header, which say how long it is. */
const LENGTH_DIGITS = 12;
const MAX_HEADER_BYTES = 100_000_000;

/** Results are files named by the place of their picture in the plan: a caller that hands out spans need not read the plan. */
export const resultName = (index: number): string => String(index);

/** A digest of the plan. The result contains it, so that the result of another plan is never used. */
export function askedOf({ parameters, facts }: PdfPlan, work: ImageWork): string {
  const { customColorConfig, pdfQuality } = parameters;
  const quality = pdfQuality === undefined ? [] : [pdfQuality];
  const asked = JSON.stringify([work, customColorConfig, facts.fileBytes, ...quality]);
  return createHash('sha256').update(asked).digest('hex').slice(0, 16);
}

/** Writes that a picture stays as it is. */
export function writeKept(path: string, asked: string, result: KeptImage): Promise<void> {
  return writeFileWhole(path, { asked, result }, []);
}

/** Writes the new data of a picture's objects. @returns its bytes */
export async function writeResult(path: string, asked: string, objects: readonly EncodedObject[]): Promise<number> {
  const data: Buffer[] = [];
  const take = (encoded: EncodedImage | undefined): DataHeader | undefined => {
    if (encoded === undefined) return undefined;
    const { data: bytes, ...shape } = encoded;
    data.push(bytes);
    return { ...shape, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const headers = objects.map(({ number, image, mask }) => {
    const [imageHeader, maskHeader] = [take(image), take(mask)];
    return { number, ...(imageHeader && { image: imageHeader }), ...(maskHeader && { mask: maskHeader }) };
  });
  await writeFileWhole(path, { asked, result: { number: objects[0]!.number, objects: headers } }, data);
  return data.reduce((sum, { length }) => sum + length, 0);
}

/** Writes under a temporary name and renames it: a file that is there is whole. */
async function writeFileWhole(path: string, header: Header, data: readonly Buffer[]): Promise<void> {
  const file = await open(`${path}.part`, 'w');
  try {
    const text = Buffer.from(JSON.stringify(header));
    await file.writeFile(String(text.length).padStart(LENGTH_DIGITS));
    await file.writeFile(text);
    for (const each of data) await file.writeFile(each);
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
    const length = Number((await readExactly(file, 0, LENGTH_DIGITS)).toString('latin1'));
    if (!(length > 0 && length <= MAX_HEADER_BYTES)) return undefined;
    const header = JSON.parse((await readExactly(file, LENGTH_DIGITS, length)).toString('utf8')) as Header;
    if (header.asked !== asked) return undefined;
    if ('kept' in header.result) return header.result;
    let end = LENGTH_DIGITS + length;
    const start = end;
    const place = (data: DataHeader | undefined): StoredData | undefined => {
      if (data === undefined) return undefined;
      end += data.bytes;
      return { path, header: data, dataStart: end - data.bytes };
    };
    const objects = header.result.objects.map(({ number, image, mask }) => {
      const [storedImage, storedMask] = [place(image), place(mask)];
      return { number, ...(storedImage && { image: storedImage }), ...(storedMask && { mask: storedMask }) };
    });
    return (await file.stat()).size === end ? { number: header.result.number, objects, bytes: end - start } : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error('The result is cut.');
  return buffer;
}
