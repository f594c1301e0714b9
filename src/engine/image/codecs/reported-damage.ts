import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { Failure } from '../../../domain/failures.ts';
import { hasLeftoverData } from './jpeg-leftover.ts';
import type { ImageSource } from './source.ts';

/**
 * Decodes a file, and refuses one with replaced pixels. libjpeg warns of damaged data, and fills its place with grey blocks or with
 * blocks of another place. A damaged bit moves all later blocks of a scan, so no share of damage is accepted.
 * @param image of this file alone
 * @throws Failure CORRUPT_FILE
 */
export async function refusingDamage<T>(
  image: Sharp,
  { path, facts }: Pick<ImageSource, 'path' | 'facts'>,
  decode: (image: Sharp) => Promise<T>,
): Promise<T> {
  const warnings: string[] = [];
  const decoded = await decode(image.on('warning', (warning: string) => warnings.push(warning)));
  const faults = warnings.flatMap((warning) => warning.match(/Corrupt JPEG data: .+/g) ?? []);
  if (faults.length > 0 && !(await isPadding(faults, path))) throw damagedPixels(faults[0]!);
  if (facts.mimetype === 'image/jpeg' && hasLeftoverData(await readFile(path))) throw damagedPixels('leftover data');
  return decoded;
}

/** @param cause what the decoder reports */
const damagedPixels = (cause: string): Failure =>
  new Failure('CORRUPT_FILE', {
    detail: 'The file is damaged: a part of its pixels is lost.',
    cause: new Error(cause),
  });

/** Whether the decoder has skipped nothing but padding: equal bytes before a marker, which some cameras write. */
async function isPadding(faults: readonly string[], path: string): Promise<boolean> {
  const skipped = faults.map((fault) => /: (\d+) extraneous bytes before marker 0x([0-9a-f]{2})/.exec(fault));
  if (skipped.includes(null)) return false;
  const file = await readFile(path);
  return skipped.every((found) => hasPadding(file, Number(found![1]), Number.parseInt(found![2]!, 16)));
}

function hasPadding(file: Buffer, length: number, code: number): boolean {
  const marker = Buffer.from([0xff, code]);
  for (let at = file.indexOf(marker, length); at >= 0; at = file.indexOf(marker, at + 1)) {
    const before = file.subarray(at - length, at);
    if (before.every((byte) => byte === before[0])) return true;
  }
  return false;
}
