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

/** Why an image counts as its kind. */
export const KIND_REASON_NAMES = [
  'natural',
  'small',
  'flat',
  'few-colours',
  'gradients',
  'lines',
  'unclear',
  'straight',
  'ramp',
  'paper',
  'document',
  'surround',
  'stain',
] as const;

export type KindReason = (typeof KIND_REASON_NAMES)[number];

/** The kind of an image, with the reason for it. */
export interface KindOfImage {
  kind: ImageKind;
  reason: KindReason;
}

/** Choices for single images of a PDF, by object number. */
export type ImageChoices = Readonly<Record<string, { color: boolean }>>;

/** Maximum number of images in `ImageChoices`: 25 kB of JSON. */
export const MAX_IMAGE_CHOICES = 1000;
