import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { EngineError } from '@burnish/contract/engine';
import * as jpeg from './jpeg-leftover.ts';
import type { ImageSource } from './source.ts';
import * as webp from './webp-leftover.ts';

/**
 * Decodes a file, and refuses one with replaced pixels. libjpeg warns of damaged data, and fills its place with grey blocks or with
 * blocks of another place. A damaged bit moves all later blocks of a scan, so no share of damage is accepted.
 * @param open opens a file that decodes at a small size
 * @throws EngineError CORRUPT_FILE
 */
export async function refuseDamage(
  { path, facts: { mimetype } }: Pick<ImageSource, 'path' | 'facts'>,
  open: (file: string | Uint8Array) => Sharp,
): Promise<void> {
  const warnings: string[] = [];
  await open(path)
    .on('warning', (warning: string) => warnings.push(warning))
    .toBuffer();
  const faults = warnings.flatMap((warning) => warning.match(/Corrupt JPEG data: .+/g) ?? []);
  if (faults.length > 0 && !(await isPadding(faults, path))) throw damagedPixels(faults[0]!);
  if (mimetype === 'image/jpeg' && jpeg.hasLeftoverData(await readFile(path))) throw damagedPixels('leftover data');
  if (mimetype === 'image/webp' && (await webp.hasLeftoverData(await readFile(path), (file) => open(file).toBuffer())))
    throw damagedPixels('leftover data');
}

/** @param cause what the decoder reports */
const damagedPixels = (cause: string): EngineError =>
  new EngineError('CORRUPT_FILE', {
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
