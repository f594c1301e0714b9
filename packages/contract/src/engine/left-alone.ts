/** Why an image of a PDF stays unchanged, or gets only one kind of change. */
export const LEFT_ALONE_REASONS = [
  'inline',
  'glyph',
  'stencil-mask',
  'one-bit',
  'jbig2',
  'ccitt',
  'tiny',
  'too-large',
  'max-growth',
  'separation',
  'devicen',
  'color-table',
  'unknown-color-space',
  'color-key-mask',
  'single-color',
  'blocks',
  'invisible',
  'unknown-encoding',
  'damaged',
] as const;

export type LeftAloneReason = (typeof LEFT_ALONE_REASONS)[number];
