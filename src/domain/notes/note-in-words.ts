import {
  formatNumber,
  type EnlargingReason,
  type ImageNote,
  type LeftTone,
  type LeftToneReason,
  type NotableTone,
  type EngineNote,
  MAY_INVENT,
} from '@burnish/contract';
import { PDF_NOTES, STAYS_SKEWED, type Sentences } from './pdf-notes.ts';

/** The sentences on the result of an image, by the code of the engine's note. */
export const IMAGE_NOTES: Sentences<ImageNote> = {
  FIRST_FRAME_USED: ({ frames }) => `Animated: the first of ${frames} frames was used.`,
  FIRST_PAGE_USED: ({ pages }) => `The file has ${pages} pages; the first was used.`,
  PRIMARY_PICTURE_USED: ({ pictures }) => `The file has ${pictures} pictures; the primary one was used.`,
  THUMBNAIL_SKIPPED: () => 'The file begins with a thumbnail; the first page of full size was used.',
  GAIN_MAP_REMOVED: () =>
    'The HDR gain map of the file was removed. The result looks like the file on a standard display.',
  FURTHER_PICTURES_IGNORED: () => 'The file contains further pictures, which were ignored.',

  PAGE_NOT_CLEANED: ({ because }) => NOT_CLEANED[because],
  PAGE_TURNED: ({ degrees }) => `The page was turned by ${degrees.toFixed(1)} degrees.`,
  SPREAD_TURNED: ({ left, right }) =>
    `The picture shows two pages. The left one was turned by ${left.toFixed(1)} degrees, the right one by ${right.toFixed(1)}.`,
  PAGE_SKEWED: ({ degrees, because }) =>
    `The page is skewed by ${degrees.toFixed(1)} degrees and stays so: ${STAYS_SKEWED[because]}.`,
  SURROUND_WHITENED: () => 'The dark surround of the paper was made white.',
  PAGE_CLEANED: () => 'The paper was made white and even, and the ink dark.',
  PAGE_LIGHT_EVENED: () =>
    'The light was made even. Nothing was made white, since the paper or most of the page is coloured.',
  SPECKS_REMOVED: () => 'Specks were removed.',

  ENLARGED: ({ by, because }) => `${enlargedBy(by)}${because === null ? '' : `: ${ENLARGING[because]}`}.`,
  ENLARGED_FROM_JPEG: ({ by, quality }) =>
    `${enlargedBy(by)}: for a photograph from a JPEG of quality ${quality}, FAST gives the better result.`,
  ENLARGED_WITHOUT_DETAIL: ({ by, mostPixels }) =>
    `${enlargedBy(by)}: the picture is too large for DETAIL. Send at most ${mostPixels / 1e6} megapixels for it.`,
  ENLARGED_IN_DETAIL: ({ by }) => `${enlargedBy(by)}, which ${MAY_INVENT}.`,
  DRAWING_RECOGNIZED: () =>
    'The picture was classified as a page or a drawing, where noise reduction would harm fine lines.',
  RESIZED: ({ width, height }) => `Resized to ${width} × ${height} pixels.`,

  FACES_NOT_DETECTED: ({ because }) =>
    because === 'inks'
      ? 'Faces were not detected: the picture is in CMYK.'
      : 'Faces could not be detected: networks do not run on this machine.',
  FACES_TREATED: ({ faces }) => {
    if (faces === 0) return 'No faces were found.';
    return `${faces === 1 ? 'One face was' : `${faces} faces were`} found and treated gently.`;
  },

  ARTIFACTS_NOT_REDUCED: ({ because }) => ARTIFACTS[because],
  NOISE_TOO_LOW: () => 'The picture has too little noise to remove.',
  NOISE_REDUCED: ({ levels }) => `Noise of about ${levels.toFixed(1)} levels was reduced.`,
  TONE_UNCHANGED: ({ because }) =>
    because === 'inks'
      ? 'Tone and colour were not changed: the picture is in CMYK.'
      : 'Tone and colour needed no change.',
  TONE_CORRECTED: (tone) => {
    const changes = changesOf(tone);
    if (changes.length === 0) return 'Tone and colour were corrected a little.';
    return `Tone and colour were corrected: ${changes.join(', ')}.`;
  },
  TONE_LEFT: (left) => `The picture seems ${seemingTone(left)}. That stays: ${LEFT_TONE[left.because]}.`,
  SHADOWS_BRIGHTENED: () => 'Dark areas were brightened.',

  CONVERTED_TO_SRGB: () => 'The colours were converted to sRGB.',
  TRANSPARENCY_REPLACED: ({ format }) => `Transparency was replaced by white: ${format} does not support it.`,
  DEPTH_REDUCED: ({ bits }) => `The result has 8 bits a channel; the file had ${bits}.`,
  PNG_COLOUR_REMOVED: () =>
    'The colour space that the PNG names in cICP, gAMA or cHRM was removed: only PNG supports it.',
  MAKER_NOTE_REMOVED: () =>
    'The MakerNote of the EXIF data was removed, because its offsets cannot be updated. All other EXIF data was kept.',
  QUALITY_FITTED: ({ quality, mostBytes }) =>
    `The result has quality ${quality}, the largest with at most ${formatNumber(mostBytes)} bytes.`,
  PRINT_SIZE: ({ width, height, dpi }) => `Print size: ${width.toFixed(1)} × ${height.toFixed(1)} cm at ${dpi} DPI.`,
  FIDELITY_MEASURED: ({ psnr, maxDifference }) =>
    psnr === null
      ? 'Reduced again, the result is the original, sample by sample.'
      : `Reduced again, the result differs from the original by at most ${maxDifference} of 255 levels (PSNR ${psnr} dB).`,
};

type Because<Code extends ImageNote['code']> = Extract<ImageNote, { code: Code; because: unknown }>['because'];

/** Returns how a picture seems by what stays: light or warmth. */
function seemingTone({ light, warmth = 0 }: LeftTone): string {
  const [value, [more, less]] = light === undefined ? [warmth, ['warm', 'cold']] : [light, ['bright', 'dark']];
  return `too ${value > 0 ? more : less} by ${Math.abs(value).toFixed(1)} stops`;
}

const LEFT_TONE: Record<LeftToneReason, string> = {
  unproven: 'nothing clips or is hazy, so the light may be intended',
  night: 'it shows a night',
  'white-ground': 'it shows an object on white',
  'low-key': 'its light is the subject, as on a stage',
  sunset: 'it shows a sunset',
  dusk: 'it shows a dusk or a sky',
  'much-white': 'its neutral white proves the colours',
};

const NOT_CLEANED: Record<Because<'PAGE_NOT_CLEANED'>, string> = {
  inks: 'The page was not cleaned: the picture is in CMYK.',
  'no-paper': 'The page was not cleaned: the picture shows too little paper.',
  'no-ink': 'The page was not cleaned: it shows no ink.',
  'no-page': 'The page was not cleaned: the picture shows neither lines of text nor strokes of ink on paper.',
  clean: 'The page is clean already.',
  'one-bit': 'The page was not cleaned: the picture consists of black and white only.',
};

const ARTIFACTS: Record<Because<'ARTIFACTS_NOT_REDUCED'>, string> = {
  format: 'Compression artefacts are detected in JPEG files only.',
  enlarging: 'Compression artefacts are removed while enlarging.',
  quality: 'The quality of the JPEG leaves no compression artefacts to remove.',
};

/** Why a picture was enlarged in this way, as a clause after a colon. */
const ENLARGING: Record<EnlargingReason, string> = {
  inks: 'it is in CMYK',
  narrow: 'it is too narrow for a network',
  'no-network': 'no network is available',
  'network-failed': 'a network cannot be loaded on this machine',
  mean: 'the mean of FINE and FAST',
  drawing: 'DETAIL does not enlarge pages and drawings',
  'no-detail': 'the tier DETAIL is not available here',
  'no-fine': 'the tier FINE is not available here',
  'too-large-for-fine': 'the picture is too large for the tier FINE alone',
};

const enlargedBy = (names: readonly string[]): string => `Enlarged by ${names.join(' and ')}`;

function changesOf({ light, contrast, saturation, warmth }: NotableTone): string[] {
  const stops = (name: string, value?: number): string[] =>
    value === undefined ? [] : [`${name} ${signed(value.toFixed(1))} stops`];
  const share = (name: string, value?: number): string[] =>
    value === undefined ? [] : [`${name} ${signed(String(value))} %`];
  return [
    ...stops('light', light),
    ...share('contrast', contrast),
    ...share('saturation', saturation),
    ...stops('warmth', warmth),
  ];
}

/** Writes a sign before each number, with the minus of typography. */
const signed = (value: string): string => (value.startsWith('-') ? `−${value.slice(1)}` : `+${value}`);

/** The sentence for each note of the engine. Records keep the sentences. */
const NOTES: Sentences<EngineNote> = { ...IMAGE_NOTES, ...PDF_NOTES };

/** Returns the sentence of a note. */
export const noteInWords = (note: EngineNote): string => (NOTES[note.code] as (note: EngineNote) => string)(note);
