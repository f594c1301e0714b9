import { createHash } from 'node:crypto';
import { open, rename, type FileHandle } from 'node:fs/promises';
import type { EnhancedObjects, KeptPicture } from './enhance-image.ts';
import type { EncodedImage } from '../images/image-encoder.ts';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';

/** Description of data in a result: the values of its object's dictionary. */
export type DataHeader = Omit<EncodedImage, 'data'> & { bytes: number; sha256: string };

export interface StoredData {
  path: string;
  header: DataHeader;
  /** Offset of the data, bytes */
  dataStart: number;
}

export interface StoredObject {
  number: number;
  image?: StoredData;
  mask?: StoredData;
}

/** The direction of the page that a picture fills. */
export interface Directed {
  /** Quarter turns clockwise that the page needs; absent where nothing shows them */
  direction?: QuarterTurns;
}

export interface StoredResult extends Omit<EnhancedObjects, 'objects'>, Directed {
  number: number;
  objects: StoredObject[];
  /** Total bytes of all data */
  bytes: number;
}

/**
 * A picture that stays unchanged at no charge. It turned out not to be eligible or has one colour, or a change of it is
 * needless.
 */
export interface KeptImage extends Omit<KeptPicture, 'kept'>, Directed {
  number: number;
  kept: 'damaged' | 'unknown-encoding' | 'single-color' | KeptPicture['kept'];
}

interface Header {
  asked: string;
  result:
    | KeptImage
    | (Omit<StoredResult, 'objects' | 'bytes'> & {
        objects: { number: number; image?: DataHeader; mask?: DataHeader }[];
      });
}

/** Digits of the header's length, written before the header. */
const LENGTH_DIGITS = 12;
const MAX_HEADER_BYTES = 100_000_000;

/**
 * Returns the file name of a result: the index of its picture in the plan. The caller that distributes spans need not
 * read the plan.
 */
export const resultName = (index: number): string => String(index);

/** Returns a digest of the plan. Each result contains it, so that the result of another plan is never used. */
export function toRequestKey({ parameters, facts }: PdfPlan, work: ImageWork): string {
  const { customColorConfig, pdfQuality } = parameters;
  const quality = pdfQuality === undefined ? [] : [pdfQuality];
  const asked = JSON.stringify([work, customColorConfig, facts.fileBytes, ...quality]);
  return createHash('sha256').update(asked).digest('hex').slice(0, 16);
}

export function writeKept(path: string, asked: string, result: KeptImage): Promise<void> {
  return writeFileWhole(path, { asked, result }, []);
}

/** Stores the new data of a picture's objects. @returns its bytes */
export async function writeResult(
  path: string,
  asked: string,
  { objects, ...facts }: EnhancedObjects & Directed,
): Promise<number> {
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
  await writeFileWhole(path, { asked, result: { number: objects[0]!.number, ...facts, objects: headers } }, data);
  return data.reduce((sum, { length }) => sum + length, 0);
}

/** Writes under a temporary name and renames the file: an existing file is always complete. */
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

/** @returns undefined when the result is missing, incomplete or of another plan */
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
    if ((await file.stat()).size !== end) return undefined;
    return { ...header.result, objects, bytes: end - start };
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
