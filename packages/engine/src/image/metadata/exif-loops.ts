import { readFile } from 'node:fs/promises';
import { EngineError } from '@burnish/contract/engine';

/** Starts of TIFF data, which EXIF is, in both byte orders. */
const STARTS = [Buffer.from('II*\0'), Buffer.from('MM\0*')];
/** Fields that point to a further directory: EXIF, GPS, interoperability. */
const POINTERS = new Set([0x8769, 0x8825, 0xa005]);
/** A camera writes one of each. */
const MOST_FOLLOWED = 64;
/** A photograph has some hundred fields, and the bytes of its picture happen to look like a start once in 2 GB. */
const MOST_STEPS = 2_000_000;
const ENTRY_BYTES = 12;

/**
 * Refuses a file whose EXIF directories point to each other again and again. The decoder follows each pointer anew, so
 * that 60 kB could keep it busy for minutes. It finds EXIF in a JPEG, PNG, WebP or AVIF only.
 * @throws EngineError CORRUPT_FILE
 */
export async function refuseLoopingExif(path: string): Promise<void> {
  assertShallowExif(await readFile(path));
}

/** The same for the bytes of a file. @throws EngineError CORRUPT_FILE */
export function assertShallowExif(file: Buffer): void {
  const left = { steps: MOST_STEPS };
  for (const start of STARTS)
    for (let at = file.indexOf(start); at >= 0; at = file.indexOf(start, at + start.length))
      walk(file.subarray(at), left);
}

function walk(exif: Buffer, left: { steps: number }): void {
  const little = exif[0] === 0x49;
  const short = (at: number): number => (little ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const long = (at: number): number => (little ? exif.readUInt32LE(at) : exif.readUInt32BE(at));
  let followed = 0;
  const waiting = exif.length < 8 ? [] : [long(4)];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    left.steps -= 1;
    const count = at + 2 > exif.length ? 0 : short(at);
    for (
      let index = 0, entry = at + 2;
      index < count && entry + ENTRY_BYTES <= exif.length;
      index += 1, entry += ENTRY_BYTES
    ) {
      left.steps -= 1;
      if (!POINTERS.has(short(entry))) continue;
      followed += 1;
      waiting.push(long(entry + 8));
      if (followed > MOST_FOLLOWED) throw looping();
    }
    if (left.steps < 0) throw looping();
  }
}

const looping = (): EngineError =>
  new EngineError('CORRUPT_FILE', {
    detail: 'The EXIF data of the file points to itself. Save the image again, without its metadata.',
  });
