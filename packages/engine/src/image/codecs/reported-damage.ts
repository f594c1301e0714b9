import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { EngineError } from '@burnish/contract/engine';
import * as jpeg from './jpeg-leftover.ts';
import { openImage } from './sharp.ts';
import type { ImageSource } from './source.ts';
import * as webp from './webp-leftover.ts';

/** Opens a file that decodes at an eighth of its size: of a JPEG, that still reads every byte. */
export function openReduced(
  { page, facts: { width } }: ImageSource,
  file: string | Uint8Array,
  failOn: 'warning' | 'error' = 'error',
): Sharp {
  const image = openImage(file, { page, ignoreIcc: true, failOn });
  return image.resize({ width: Math.max(1, Math.ceil(width / 8)), kernel: 'nearest', fastShrinkOnLoad: true }).raw();
}

/** Hears each warning of a decoder. */
export type Heard = (warning: string) => void;

/**
 * Decodes a file, and refuses one with replaced pixels. libjpeg warns of damaged data, and fills its place with grey blocks or with
 * blocks of another place. A damaged bit moves all later blocks of a scan, so no share of damage is accepted.
 * @param decode rejects at the first warning if it gets `'warning'`
 * @throws EngineError CORRUPT_FILE, and what `decode` throws
 */
export async function decodeUndamaged<T>(
  source: ImageSource,
  decode: (failOn: 'warning' | 'error', heard: Heard) => Promise<T>,
): Promise<T> {
  const { path, facts } = source;
  if (facts.mimetype === 'image/jpeg') {
    const decoded = await decode('warning', () => undefined).catch((error: unknown) =>
      decodeAgain(error, path, decode),
    );
    if (jpeg.hasLeftoverData(await readFile(path))) throw damagedPixels('leftover data');
    return decoded;
  }
  const decoded = await decode('error', () => undefined);
  const decodes = (file: Buffer): Promise<unknown> => openReduced(source, file).toBuffer();
  if (facts.mimetype === 'image/webp' && (await webp.hasLeftoverData(await readFile(path), decodes)))
    throw damagedPixels('leftover data');
  return decoded;
}

/** Decodes of a file until one hears its warnings: libvips collects those of all decodes in one place, and the first to end takes them. */
const TRIES = 5;

/** Decodes a JPEG with warnings. Most of them are harmless. @param error that of its first warning */
async function decodeAgain<T>(
  error: unknown,
  path: string,
  decode: (failOn: 'error', heard: Heard) => Promise<T>,
): Promise<T> {
  const warnings = [error instanceof Error ? error.message : ''];
  let decoded = await decode('error', (warning) => warnings.push(warning));
  for (let tries = 1; tries < TRIES && !warnings.some((each) => each.includes('VipsJpeg')); tries += 1)
    decoded = await decode('error', (warning) => warnings.push(warning));
  const faults = warnings.flatMap((warning) => warning.match(/Corrupt JPEG data: .+/g) ?? []);
  if (faults.length > 0 && !(await isPadding(faults, path))) throw damagedPixels(faults[0]!);
  return decoded;
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
