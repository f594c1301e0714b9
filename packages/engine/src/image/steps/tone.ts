import type { LeftTone, LookValues } from '@burnish/contract/engine';
import { applyLocalLight } from './apply-local-light.ts';
import { nightConfidence } from './night.ts';
import { reduceRaisedNoise, type GainMap } from './raised-noise.ts';
import { applyColourChange } from './curves.ts';
import type { FaceBox } from '../faces/face-boxes.ts';
import { detectLargeFaces } from '../faces/face-detector.ts';
import { skinOf, type Skin } from '../faces/skin.ts';
import { planLocalLight, type FaceArea } from './local-light.ts';
import { LOOKS, type Look, type LookSettings } from './looks.ts';
import { guessNoise } from './noise-estimate.ts';
import { colourChannels, isLight, type Picture } from '../picture.ts';
import { lightOfPart, type PartOfPicture } from './part-of-picture.ts';
import { TOE } from './shade.ts';
import { describeTone, type ToneChange } from './tone-change.ts';
import { applyTone, lumaTable, partOf, type ToneCorrection } from './tone-correction.ts';
import { correctTone } from './correct-tone.ts';
import { toneSquare } from './tone-square.ts';
import { blackLevel, measureLevels, measureTone } from './tone-statistics.ts';
import { toneThumbnail } from './tone-thumbnail.ts';

/** Rise of the black point by the local gain. */
const BLACK_RISE = 4 / 255;
/** Power of the distance to white by which the correction of the black point falls, so that mid tones stay. */
const TOE_POWER = 4;
/** Depth of shade, in logarithms, that is accepted in addition for night and drawings: more than there can be. */
export const KEPT_DEPTH = 4;
/** Mean difference between the channels below which a picture is intentionally grey. */
const COLOURLESS = 0.015;

export interface ToneOutcome {
  /** What was done; undefined for a picture that did not change */
  change: ToneChange | undefined;
  /** What was seen, and not dared */
  left: readonly LeftTone[];
}

export interface ToneOthers {
  faces?: readonly FaceBox[];
  part?: PartOfPicture | undefined;
  own?: LookValues | undefined;
}

const UNTOUCHED: ToneOutcome = { change: undefined, left: [] };

/**
 * Corrects tone and colour automatically, in place: the whole picture moves to the nearest tone that good photographs of such content
 * have, then a local gain brightens what still lies in the dark. A picture without defects, a drawing and CMYK do not change.
 * @param others.faces detected faces, in pixels: their brightness takes precedence over all other criteria
 * @param others.part a part of the picture that changes with it, also in place, as the whole requires
 * @param others.own look of an account, into whose ranges the picture moves then
 */
export async function improveTone(
  picture: Picture,
  look: Look,
  { faces = [], part, own }: ToneOthers = {},
): Promise<ToneOutcome> {
  if (!isLight(picture)) return UNTOUCHED;
  const before = toneThumbnail(picture);
  const statistics = measureTone(before);
  if (!statistics || statistics.drawn === 1) return UNTOUCHED;
  const grey = colourChannels(picture) === 1 || statistics.colourfulness < COLOURLESS;
  const square = toneSquare(before);
  const correct = (skin?: Skin): ReturnType<typeof correctTone> =>
    correctTone(square, LOOKS[look].courage, statistics, { own, skin });
  const first = correct();
  const skin = first.isDoubtful ? await findSkin(picture, faces) : undefined;
  const { correction, left, saturation } = skin ? correct(skin) : first;
  const settings = weakened(withOwn(LOOKS[look], saturation, own), 1 - statistics.drawn);
  const pictures = part ? [picture, part.picture] : [picture];
  if (correction) {
    const tables = partOf(grey ? withoutTint(correction) : correction, 1 - statistics.drawn);
    for (const each of pictures) applyTone(each, tables);
  }
  const added = addContrast(pictures, settings, grey);
  const corrected = correction !== undefined;
  const after = corrected || added ? toneThumbnail(picture) : before;
  const reached = after === before ? statistics : measureLevels(after);
  // A second enhancement measures the same picture, and comes to the same decision.
  const night = nightConfidence(reached);
  const missing = planLocalLight(after, {
    depth: settings.shadeDepth + KEPT_DEPTH * night,
    faceLight: settings.faceLight * (1 - night),
    before,
    faces: inParts(faces, picture),
    noise: () => guessNoise(part?.picture ?? picture) / 255,
  });
  const ofPart = part && missing && lightOfPart(missing, part.area);
  if (missing) {
    applyLocalLight(picture, missing);
    if (part && ofPart) applyLocalLight(part.picture, ofPart);
    keepBlack(pictures, blackLevel(after));
  }
  const even = evenGain(statistics.median, reached.median);
  reduceRaisedNoise(picture, missing ?? even);
  if (part) reduceRaisedNoise(part.picture, ofPart ?? even);
  const changed = corrected || added || missing !== undefined;
  return { change: changed ? describeTone(before, after, missing !== undefined) : undefined, left };
}

/** Returns the skin of faces, which are searched for if none are given. A machine without networks knows of none. */
async function findSkin(picture: Picture, faces: readonly FaceBox[]): Promise<Skin | undefined> {
  const found = faces.length > 0 ? faces : await detectLargeFaces(picture).catch(() => []);
  return skinOf(picture, found);
}

/** Returns a correction that tints nothing. */
function withoutTint(correction: ToneCorrection): ToneCorrection {
  const table = lumaTable(correction);
  return [table, table, table];
}

/** Returns a look with what the look of an account adds. @param saturation factor of this picture */
const withOwn = (look: LookSettings, saturation: number, own?: LookValues): LookSettings => ({
  ...look,
  saturation: look.saturation * saturation,
  shadeDepth: look.shadeDepth + KEPT_DEPTH * (1 - (own?.localLight ?? 1)),
  faceLight: look.faceLight * (own?.localLight ?? 1),
});

/** Returns a look that adds less. @param part 0..1 */
function weakened(look: LookSettings, part: number): LookSettings {
  return {
    ...look,
    shadeDepth: look.shadeDepth + KEPT_DEPTH * (1 - part),
    faceLight: look.faceLight * part,
    saturation: 1 + (look.saturation - 1) * part,
    contrast: 1 + (look.contrast - 1) * part,
  };
}

/** Adds what a look gives to every picture. @returns whether it gives something */
function addContrast(pictures: readonly Picture[], { contrast, saturation }: LookSettings, grey: boolean): boolean {
  if (contrast === 1 && (saturation === 1 || grey)) return false;
  const curve = (value: number): number => softContrast(value, contrast);
  for (const each of pictures) applyCurve(each, curve, grey ? 1 : saturation);
  return true;
}

function applyCurve(picture: Picture, curve: (value: number) => number, saturation: number): void {
  const curves = colourChannels(picture) === 1 ? [curve] : [curve, curve, curve];
  applyColourChange(picture, { curves, saturation });
}

/** Returns the gain of the median as a map of one cell. */
function evenGain(before: number, after: number): GainMap {
  const gain = Math.log((after + TOE) / (before + TOE));
  return { width: 1, height: 1, gains: Float32Array.of(gain) };
}

/**
 * Moves the black point back to where it was plus a little, so that raised shadows are not hazy.
 * @param pictures the whole picture, and a part that changes with it
 */
function keepBlack(pictures: readonly Picture[], before: number): void {
  const allowed = before + BLACK_RISE;
  const black = blackLevel(toneThumbnail(pictures[0]!));
  if (black <= allowed) return;
  const cut = (black - allowed) / (1 - black) ** TOE_POWER;
  const curve = (value: number): number => Math.max(0, value - cut * (1 - value) ** TOE_POWER);
  for (const each of pictures) applyCurve(each, curve, 1);
}

function inParts(faces: readonly FaceBox[], { width, height }: Picture): FaceArea[] {
  return faces.map((face) => ({
    x: face.x / width,
    y: face.y / height,
    width: face.width / width,
    height: face.height / height,
  }));
}

/** An S-curve through 0, 1/2 and 1 that never clips: a blend of the line and a smooth step. */
function softContrast(value: number, slope: number): number {
  const step = value * value * (3 - 2 * value);
  return value + (step - value) * 2 * (slope - 1);
}
