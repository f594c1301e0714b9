/** Kinds of images in a PDF. By default, only photographs get a new tone and colour. */
export const IMAGE_KINDS = {
  PHOTOGRAPH: 'A photograph.',
  DRAWING: 'A drawing, a logo, a banner or a screenshot.',
  CHART: 'A chart or a ramp of colours.',
  SCAN: 'A scanned page.',
  SCIENTIFIC: 'A radiograph or a microscope image.',
} as const;

export type ImageKind = keyof typeof IMAGE_KINDS;

export const IMAGE_KIND_NAMES = Object.keys(IMAGE_KINDS) as ImageKind[];

/** Why an image counts as its kind, as a clause after "because". */
const KIND_REASONS = {
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
} as const;

export type KindReason = keyof typeof KIND_REASONS;

export const KIND_REASON_NAMES = Object.keys(KIND_REASONS) as KindReason[];

/** The kind of an image, with the reason for it. */
export interface KindOfImage {
  kind: ImageKind;
  reason: KindReason;
}

const NAMES: Record<ImageKind, string> = {
  PHOTOGRAPH: 'a photograph',
  DRAWING: 'a drawing',
  CHART: 'a chart',
  SCAN: 'a scan',
  SCIENTIFIC: 'a scientific image',
};

/** Returns the kind with its article, such as "a drawing". */
export const nameOfKind = ({ kind }: KindOfImage): string => NAMES[kind];

/** Returns a clause such as "it counts as a drawing because flat areas cover most of it". */
export const kindInWords = ({ kind, reason }: KindOfImage): string =>
  `it counts as ${NAMES[kind]} because ${KIND_REASONS[reason]}`;

/** Choices for single images of a PDF, by object number. */
export type ImageChoices = Readonly<Record<string, { color: boolean }>>;

/** Maximum number of images in `ImageChoices`: 25 kB of JSON. */
export const MAX_IMAGE_CHOICES = 1000;
