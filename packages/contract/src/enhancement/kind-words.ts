import type { ImageKind, KindOfImage, KindReason } from '../engine/image-kinds.ts';

/** Each kind with its article. */
export const NAMES_OF_KINDS: Record<ImageKind, string> = {
  PHOTOGRAPH: 'a photograph',
  DRAWING: 'a drawing',
  CHART: 'a chart',
  SCAN: 'a scan',
  SCIENTIFIC: 'a scientific image',
};

/** Why an image counts as its kind, as a clause after "because". */
const KIND_REASONS: Record<KindReason, string> = {
  natural: 'it has soft textures in many colours',
  small: 'fewer than 64 of its pixels a side can be seen',
  flat: 'flat areas cover most of it',
  'few-colours': 'a few colours cover most of it',
  gradients: 'its gradients have no texture',
  lines: 'hard lines cover it',
  unclear: 'it has too little of a photograph',
  straight: 'its edges are straight and its areas even',
  ramp: 'its colours change in one direction only',
  paper: 'even paper covers most of it',
  document: 'it fills a page, as the scanned pages of this document do',
  surround: 'a black border surrounds it, as in radiographs',
  stain: 'it has stains of few hues on an even bright ground',
};

/** Returns a clause such as "it counts as a drawing because flat areas cover most of it". */
export const kindInWords = ({ kind, reason }: KindOfImage): string =>
  `it counts as ${NAMES_OF_KINDS[kind]} because ${KIND_REASONS[reason]}`;
