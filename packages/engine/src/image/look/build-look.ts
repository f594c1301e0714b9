import { join } from 'node:path';
import type { BuiltLook, LookValues } from '@burnish/contract/engine';
import { openImage, decoderFailure } from '../codecs/sharp.ts';
import type { Picture } from '../picture.ts';
import { writePreview, openPicture } from '../preview.ts';
import { planLocalLight } from '../steps/local-light.ts';
import { LOOKS } from '../steps/looks.ts';
import { nightConfidence } from '../steps/night.ts';
import { improveTone, KEPT_DEPTH } from '../steps/tone.ts';
import { toneSquare, type ToneSquare } from '../steps/tone-square.ts';
import { measureTone } from '../steps/tone-statistics.ts';
import { toneThumbnail } from '../steps/tone-thumbnail.ts';
import { fitLook } from './fit-look.ts';
import type { FinishedPicture } from './look-trials.ts';

/** Confidence from which a picture counts as a drawing, which no look changes. */
const DRAWN = 0.5;

export interface BuildLookInput {
  /** Local folder with small copies in sRGB: each finished picture as its index, its original as `original-0`, each sample as `sample-0` */
  picturesDir: string;
  /** For each finished picture, whether the folder has its original */
  hasOriginal: readonly boolean[];
  /** Numbers of the samples */
  samples: readonly number[];
  /** Folder for the samples with the look, as WebP, by their numbers */
  samplesDir: string;
}

export interface BuildLookOutput {
  /** Null where a picture is unfit */
  look: BuiltLook | null;
  /** Indexes of finished pictures that say nothing about tone, such as drawings */
  unfit: number[];
}

/** What a picture tells of the tone of its finisher. */
interface Seen {
  square: ToneSquare;
  night: number;
  /** Nothing lies so much in the dark that ENHANCE would brighten it */
  evenlyLit: boolean;
}

/**
 * Solves the look of finished pictures, proves it, and shows what it does to samples.
 * @throws EngineError CORRUPT_FILE, UNSUPPORTED_MEDIA_TYPE
 */
export async function buildLook({
  picturesDir,
  hasOriginal,
  samples,
  samplesDir,
}: BuildLookInput): Promise<BuildLookOutput> {
  const finished: FinishedPicture[] = [];
  const unfit: number[] = [];
  let lit = 0;
  for (const [index, paired] of hasOriginal.entries()) {
    const seen = await see(join(picturesDir, String(index)));
    const original = paired ? await see(join(picturesDir, `original-${index}`)) : undefined;
    if (seen === undefined || (paired && original === undefined)) unfit.push(index);
    else finished.push({ square: seen.square, night: seen.night, ...(original && { original }) });
    if (seen?.evenlyLit === true) lit += 1;
  }
  if (unfit.length > 0) return { look: null, unfit };
  // An account that leaves shade as it is gets no local light.
  const look = fitLook(finished, lit / finished.length);
  for (const number of samples)
    await showLook(join(picturesDir, `sample-${number}`), join(samplesDir, String(number)), look.values);
  return { look, unfit };
}

async function see(path: string): Promise<Seen | undefined> {
  const thumbnail = toneThumbnail(await decode(path));
  const statistics = measureTone(thumbnail);
  if (statistics === undefined || statistics.drawn >= DRAWN) return undefined;
  const night = nightConfidence(statistics);
  const depth = LOOKS.ENHANCE.shadeDepth + KEPT_DEPTH * night;
  return { square: toneSquare(thumbnail), night, evenlyLit: planLocalLight(thumbnail, { depth }) === undefined };
}

async function showLook(from: string, to: string, look: LookValues): Promise<void> {
  const picture = await decode(from);
  await improveTone(picture, 'ENHANCE', { own: look });
  await writePreview(openPicture(picture), null, to);
}

async function decode(path: string): Promise<Picture> {
  try {
    const { data, info } = await openImage(path).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return {
      data,
      width,
      height,
      channels,
      space: channels < 3 ? 'grey' : 'rgb',
      hasAlpha: channels === 2 || channels === 4,
    };
  } catch (error) {
    throw decoderFailure(error);
  }
}
