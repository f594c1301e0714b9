import type { Fidelity } from './fidelity.ts';
import type { ImageKind } from './image-kinds.ts';
import type { LeftAloneReason } from './left-alone.ts';
import type { OutputFormat } from './media.ts';
import type { Size } from './target-size.ts';

/* What the engine notes on a file and its result: codes with figures. The caller has the sentences. */

/** What the result of a file will lack, known before any work. */
export type FileNote =
  | { code: 'FIRST_FRAME_USED'; frames: number }
  | { code: 'FIRST_PAGE_USED'; pages: number }
  | { code: 'PRIMARY_PICTURE_USED'; pictures: number }
  /** A TIFF that begins with a smaller copy of its first page */
  | { code: 'THUMBNAIL_SKIPPED' }
  | { code: 'GAIN_MAP_REMOVED' }
  | { code: 'FURTHER_PICTURES_IGNORED' };

/** Why the picture of a page stays as it is. */
export const UNCLEANED_REASONS = ['inks', 'no-paper', 'no-ink', 'no-page', 'clean'] as const;
export type UncleanedReason = (typeof UNCLEANED_REASONS)[number];

/**
 * Why a page stays skewed: turning it would cut off ink, its PDF page has content that could not turn with it, or its lines may be
 * slanted by design.
 */
export const SKEW_REASONS = ['cut', 'content', 'slanted'] as const;
export type SkewReason = (typeof SKEW_REASONS)[number];

/** What mode DOCUMENT did to the picture of a page. */
export type PageNote =
  | { code: 'PAGE_NOT_CLEANED'; because: UncleanedReason | 'one-bit' }
  | { code: 'PAGE_TURNED'; degrees: number }
  /** Both pages of a spread were turned by themselves, or one of them; degrees, 0 for none */
  | { code: 'SPREAD_TURNED'; left: number; right: number }
  /** By more than one degree, and not turned */
  | { code: 'PAGE_SKEWED'; degrees: number; because: SkewReason }
  /** The dark surround of the paper, beyond its straight edges */
  | { code: 'SURROUND_WHITENED' }
  | { code: 'PAGE_CLEANED' }
  /** The paper is coloured, or coloured areas cover more of the page, so that nothing became white */
  | { code: 'PAGE_LIGHT_EVENED' }
  | { code: 'SPECKS_REMOVED' };

/** Why a picture was enlarged in another way than asked, or than its tier alone. */
export const ENLARGING_REASONS = [
  'inks',
  'narrow',
  'no-network',
  'network-failed',
  'mean',
  'drawing',
  'no-detail',
  'no-fine',
  'too-large-for-fine',
] as const;
export type EnlargingReason = (typeof ENLARGING_REASONS)[number];

/** `by` has the names of networks, and `interpolation`. */
export type EnlargingNote =
  | { code: 'ENLARGED'; by: readonly string[]; because: EnlargingReason | null }
  /** For a photograph from a JPEG of this quality, the tier FAST gives the better result */
  | { code: 'ENLARGED_FROM_JPEG'; by: readonly string[]; quality: number }
  /** The picture has too many pixels for the tier DETAIL */
  | { code: 'ENLARGED_WITHOUT_DETAIL'; by: readonly string[]; mostPixels: number }
  /** The network may invent detail */
  | { code: 'ENLARGED_IN_DETAIL'; by: readonly string[] };

export type FaceNote =
  | { code: 'FACES_NOT_DETECTED'; because: 'inks' | 'no-network' }
  /** Their number, also 0 */
  | { code: 'FACES_TREATED'; faces: number };

/** Changes of a picture that a viewer notices; smaller ones are absent. */
export interface NotableTone {
  /** Stops */
  light?: number;
  /** Percent */
  contrast?: number;
  /** Percent */
  saturation?: number;
  /** Stops, positive for warmer */
  warmth?: number;
}

/**
 * Why a light or a cast that good photographs hardly have stays: nothing clips or is hazy, or the scene may be meant so: a night, an object
 * on white, light that is the subject itself, a sunset, a dusk, or much neutral white.
 */
export const LEFT_TONE_REASONS = [
  'unproven',
  'night',
  'white-ground',
  'low-key',
  'sunset',
  'dusk',
  'much-white',
] as const;
export type LeftToneReason = (typeof LEFT_TONE_REASONS)[number];

/** What stays, in stops: light is positive for too bright, warmth for too warm. One of them is there. */
export interface LeftTone extends Pick<NotableTone, 'light' | 'warmth'> {
  because: LeftToneReason;
}

export type ToneNote =
  ({ code: 'TONE_CORRECTED' } & NotableTone) | ({ code: 'TONE_LEFT' } & LeftTone) | { code: 'SHADOWS_BRIGHTENED' };

/** What the engine notes on the result of an image. */
export type ImageNote =
  | FileNote
  | PageNote
  | EnlargingNote
  | FaceNote
  | ToneNote
  /** `format`: artefacts are detected in JPEG files only. `enlarging`: they are removed by it. `quality`: there are none */
  | { code: 'ARTIFACTS_NOT_REDUCED'; because: 'format' | 'enlarging' | 'quality' }
  | { code: 'NOISE_TOO_LOW' }
  /** Levels of 255 */
  | { code: 'NOISE_REDUCED'; levels: number }
  | { code: 'TONE_UNCHANGED'; because: 'inks' | 'needless' }
  /** A page or a drawing, where noise reduction would harm fine lines */
  | { code: 'DRAWING_RECOGNIZED' }
  | ({ code: 'RESIZED' } & Size)
  /** The largest quality with which the result has at most `mostBytes` */
  | { code: 'QUALITY_FITTED'; quality: number; mostBytes: number }
  | { code: 'CONVERTED_TO_SRGB' }
  | { code: 'TRANSPARENCY_REPLACED'; format: OutputFormat }
  /** To 8 bits a channel; the file had this number */
  | { code: 'DEPTH_REDUCED'; bits: number }
  | { code: 'PNG_COLOUR_REMOVED' }
  | { code: 'MAKER_NOTE_REMOVED' }
  /** Centimetres */
  | ({ code: 'PRINT_SIZE'; dpi: number } & Size)
  | ({ code: 'FIDELITY_MEASURED' } & Fidelity);

/** Maximum number of pages or images that a note lists. */
export const MAX_NOTED_NUMBERS = 10;

/** Maximum number of pages whose result deserves a look, in a record: 5 kB of JSON. */
export const MAX_UNCERTAIN_PAGES = 1000;

/** Numbers of pages or images: the first ones, and how many there are. */
export interface NotedNumbers {
  first: readonly number[];
  count: number;
}

/** Why mode DOCUMENT leaves images of pages as they are. A kind: an image of that kind that fills no page. */
export type PageImageReason =
  | UncleanedReason
  | Extract<LeftAloneReason, 'damaged' | 'single-color' | 'one-bit'>
  | 'needs-nothing'
  | 'fixed-colors'
  | 'masked'
  | ImageKind;

export const PAGE_IMAGE_REASONS = [
  ...UNCLEANED_REASONS,
  'damaged',
  'single-color',
  'one-bit',
  'needs-nothing',
  'fixed-colors',
  'masked',
] as const satisfies Exclude<PageImageReason, ImageKind>[];

/**
 * Why a scanned page gets no text: it has text of its own, no picture of it alone can be found, its reading exceeds a limit, or
 * nothing shows which way up it is.
 */
export const UNREAD_REASONS = ['own-text', 'no-scan', 'limit', 'direction'] as const;
export type UnreadReason = (typeof UNREAD_REASONS)[number];

/**
 * Why a page with a fold stays one page: something else is visible on it, or its scan is drawn elsewhere too; or as many
 * pages as possible are split already.
 */
export const UNSPLIT_REASONS = ['not-alone', 'limit'] as const;
export type UnsplitReason = (typeof UNSPLIT_REASONS)[number];

/** Why a page that an order drops stays: the page tree has it twice or not by itself, or it has fields of a form. */
export const UNDROPPED_REASONS = ['shared', 'fields'] as const;
export type UndroppedReason = (typeof UNDROPPED_REASONS)[number];

/** What PDF/A does not allow, and no page shows: it is removed. */
export const ARCHIVE_REMOVALS = ['actions', 'xfa', 'metadata', 'printing'] as const;
export type ArchiveRemoval = (typeof ARCHIVE_REMOVALS)[number];

/** What the engine notes on the result of a PDF. `mostBytes` is the limit of its size. */
export type PdfNote =
  /** Images that stay below the target, since an image grows by at most `mostTimes`, to at most `mostSide` pixels a side */
  | {
      code: 'BELOW_TARGET';
      images: number;
      /** DPI, rounded down */
      lowest: number;
      highest: number;
      target: number;
      mostTimes: number;
      mostSide: number;
    }
  /** The order names images whose colours cannot change */
  | { code: 'COLORS_CANNOT_CHANGE'; images: NotedNumbers }
  | { code: 'PAGES_KEPT'; pages: NotedNumbers }
  /** Pages of the original that the result lacks, of all its pages */
  | { code: 'PAGES_DROPPED'; pages: NotedNumbers; of: number }
  | { code: 'PAGES_NOT_DROPPED'; pages: NotedNumbers; because: UndroppedReason }
  | { code: 'STRUCTURE_REPAIRED' }
  /** The result is PDF/A-2b, and lacks these parts of the original */
  | { code: 'ARCHIVED'; removed: readonly ArchiveRemoval[] }
  /** The original is linearized, and the result is not */
  | { code: 'LINEARIZATION_LOST' }
  /** Pages whose scan stood on its head or its side, and is upright now */
  | { code: 'PAGES_TURNED'; pages: NotedNumbers }
  | { code: 'PAGES_STRAIGHTENED'; pages: number }
  /** Pages whose dark surround of the paper became white */
  | { code: 'SURROUNDS_WHITENED'; pages: NotedNumbers }
  /** Pages that stay skewed by more than one degree */
  | { code: 'PAGES_SKEWED'; pages: NotedNumbers; because: SkewReason }
  /** Pages with a spread whose two pages did not turn by themselves, since more than the scan lies on the page */
  | { code: 'SPREADS_TURNED_TOGETHER'; pages: NotedNumbers }
  /** Pages that are two pages of the result each, of all pages of the original */
  | { code: 'PAGES_SPLIT'; pages: number; of: number }
  /** Pages with a fold that stay one page */
  | { code: 'SPREADS_NOT_SPLIT'; pages: NotedNumbers; because: UnsplitReason }
  | { code: 'QUALITY_REDUCED'; images: NotedNumbers; mostBytes: number; quality: number }
  /** The least quality of images that have a lower one so that the result has at most `mostBytes` */
  | { code: 'QUALITIES_FITTED'; images: NotedNumbers; mostBytes: number; quality: number }
  | { code: 'ENLARGED_LESS'; images: NotedNumbers; mostBytes: number }
  | { code: 'KEPT_FOR_SIZE'; images: NotedNumbers; mostBytes: number }
  /** Pages whose images are not cleaned; `enlarged`: they are enlarged nevertheless */
  | { code: 'PAGES_NOT_CLEANED'; pages: NotedNumbers; enlarged: boolean; because: PageImageReason }
  /** Pages that have an invisible text layer now, of all pages */
  | { code: 'TEXT_ADDED'; pages: number; of: number }
  /** Scanned pages that got no text */
  | { code: 'TEXT_NOT_ADDED'; pages: NotedNumbers; because: UnreadReason }
  | { code: 'NEED_NOTHING'; images: number }
  /** No image needs this enhancement, or can be cleaned */
  | { code: 'NO_IMAGE_CHANGED'; because: 'needless' | 'no-page' };

export type EngineNote = ImageNote | PdfNote;
export type EngineNoteCode = EngineNote['code'];
