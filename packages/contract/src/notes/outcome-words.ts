import { formatNumber } from '../engine/counted.ts';
import type { ColorsStay, ImageOutcome, MaskChange, PictureChange, SizeStays } from '../engine/image-outcome.ts';
import { CHARGED_MASK_SIDE } from '../engine/parameters.ts';
import { kindInWords } from '../enhancement/kind-words.ts';

/** Returns sentences about the effect of an enhancement on an image of a PDF, or about the reason for none. */
export function outcomeInWords(outcome: ImageOutcome): string {
  switch (outcome.effect) {
    case 'planned':
      return `Planned: ${changes(outcome.change)}.${colorsInWords(outcome.colorsStay)}`;
    case 'done':
      return `${capital(changesDone(outcome.change))}.${colorsInWords(outcome.colorsStay)}${belowInWords(outcome)}`;
    case 'mask-done':
      return `${capital(changes(outcome.change))}. Its own pixels stay.`;
    case 'kept':
      return `Kept: ${KEPT[outcome.because]}`;
    case 'left-alone':
      return `Unchanged: ${LEFT_ALONE[outcome.because]}.`;
    case 'unchanged': {
      const { sizeStays, colorsStay } = outcome;
      const colors = colorsStay === null ? '' : `, and ${whyColorsStay(colorsStay)}`;
      return `Unchanged: ${whySizeStays(sizeStays)}${colors}.`;
    }
  }
}

/** Says what happens to a picture whose mask alone is enlarged, and that it costs nothing where it is small. */
function maskDeeds({ mask, isFree }: MaskChange): string {
  const size = mask === null ? '' : ` to ${formatNumber(mask.width)} × ${formatNumber(mask.height)} pixels`;
  const price = isFree ? `, free below ${CHARGED_MASK_SIDE} pixels` : '';
  return `its mask alone enlarged${size}${price}`;
}

function changes(change: PictureChange): string {
  if ('mask' in change) return maskDeeds(change);
  const color = { corrected: 'corrected in tone and colour', cleaned: 'cleaned' };
  return [...(change.enlarged ? ['enlarged'] : []), ...(change.color ? [color[change.color]] : [])].join(' and ');
}

/** As `changes`, after them: an enlarged page may have been refused or clean, which its data does not show. */
const changesDone = (change: PictureChange): string =>
  'enlarged' in change && change.enlarged && change.color === 'cleaned'
    ? 'enlarged, and cleaned unless the notes say that it was not'
    : changes(change);

const colorsInWords = (stay: ColorsStay | null): string => (stay === null ? '' : ` ${capital(whyColorsStay(stay))}.`);

function whyColorsStay(stay: ColorsStay): string {
  switch (stay.because) {
    case 'not-asked':
      return 'colour correction was not requested';
    case 'chosen':
      return 'its colours stay, as the order asks';
    case 'masked':
      return 'it is not cleaned: its mask hides a part of it';
    case 'inks':
      return 'its colours stay: they are inks, or define the opacity of other content';
    case 'no-page':
      return `it is not cleaned: ${kindInWords(stay.shows)}, and fills no page`;
    case 'kind':
      return `its colours stay: ${kindInWords(stay.shows)}`;
  }
}

function whySizeStays(stay: SizeStays): string {
  switch (stay.because) {
    case 'not-asked':
      return 'the order asks for no enlargement';
    case 'no-extent':
      return 'it is drawn without extent';
    case 'enough':
      return `its ${formatNumber(stay.resolution)} DPI are enough, as the order asks for ${formatNumber(stay.target)} DPI`;
    case 'threshold':
      return `for ${formatNumber(stay.target)} DPI it would grow only ${stay.times.toFixed(2)} times, and the order asks for more than ${formatNumber(stay.threshold)} times`;
  }
}

function belowInWords({ below }: Extract<ImageOutcome, { effect: 'done' }>): string {
  if (below === null) return '';
  if (below.because === 'growth') return ' It is enlarged less, so that the PDF stays within its limit.';
  return ` It stays below ${formatNumber(below.target)} DPI: an image is enlarged at most ${below.most} times.`;
}

type Because<Effect extends ImageOutcome['effect']> = Extract<
  ImageOutcome,
  { effect: Effect; because: string }
>['because'];

const KEPT: Record<Because<'kept'>, string> = {
  clean: 'it is clean, shows no page with ink, or would grow. See the notes.',
  growth: 'the PDF would grow beyond its limit. See the notes.',
  needless: 'its tone and colour need no change.',
};

const LEFT_ALONE: Record<Because<'left-alone'>, string> = {
  'kept-page': 'the order keeps its page',
  'dropped-page': 'the order drops its page',
  hidden: 'its layer is hidden',
  featureless: 'it is of one colour or of even blocks, cannot be seen, or is damaged',
  inline: 'it lies inside the page description',
  glyph: 'it is part of a font',
  'stencil-mask': 'it is a stencil of one bit',
  'one-bit': 'it has one bit per pixel',
  jbig2: 'it has one bit per pixel (JBIG2)',
  ccitt: 'it has one bit per pixel (fax)',
  tiny: 'a side has fewer than 16 pixels',
  'too-large': 'it is larger than the limit',
  'max-growth': 'the PDF would grow too much',
  separation: 'it contains a spot colour',
  devicen: 'it contains spot colours',
  'color-table': 'its profile maps neighbouring values to unrelated colours',
  'unknown-color-space': 'its colour space is not supported',
  'color-key-mask': 'its mask depends on exact colours',
  'single-color': 'it is of one colour',
  blocks: 'it consists of even blocks of a few colours',
  invisible: 'its mask hides it',
  'unknown-encoding': 'its coding is not supported',
  damaged: 'its data is damaged',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
