import type { KindOfImage } from './image-kinds.ts';
import type { LeftAloneReason } from './left-alone.ts';
import type { Size } from './target-size.ts';

/** Why a picture keeps its colours. */
export type ColorsStay =
  | { because: 'not-asked' | 'chosen' | 'masked' | 'inks' }
  /** Mode DOCUMENT cleans scans and pictures that fill a page; other orders name the kinds that change. */
  | { because: 'no-page' | 'kind'; shows: KindOfImage };

/** Why a picture keeps its size. Resolutions are in DPI, rounded down. */
export type SizeStays =
  | { because: 'not-asked' | 'no-extent' }
  | { because: 'enough'; resolution: number; target: number }
  /** It would grow so many times, and grows from the threshold on */
  | { because: 'threshold'; target: number; times: number; threshold: number };

/** A mask that is enlarged while the samples of its picture stay; null: without a known size. */
export interface MaskChange {
  mask: Size | null;
  /** Too small to count */
  isFree: boolean;
}

/** Changes of a picture: of its size, its colours or both, or of its mask alone. */
export type PictureChange = MaskChange | { enlarged: boolean; color: 'corrected' | 'cleaned' | null };

/** The actual or expected effect of an enhancement on an image of a PDF. */
export type ImageOutcome =
  | { effect: 'planned'; change: PictureChange; colorsStay: ColorsStay | null }
  | {
      effect: 'done';
      change: PictureChange;
      colorsStay: ColorsStay | null;
      /** What keeps it below the target: the limit of the file's growth, or of its own enlargement; null: nothing */
      below: { because: 'growth' } | { because: 'scale'; target: number; most: number } | null;
    }
  /** Its mask alone was enlarged */
  | { effect: 'mask-done'; change: PictureChange }
  /** A planned change that was not made */
  | { effect: 'kept'; because: 'clean' | 'growth' | 'needless' }
  | { effect: 'left-alone'; because: LeftAloneReason | 'kept-page' | 'dropped-page' | 'hidden' | 'featureless' }
  /** Neither its size nor its colours need or allow a change; null: it has no colours */
  | { effect: 'unchanged'; sizeStays: SizeStays; colorsStay: ColorsStay | null };
