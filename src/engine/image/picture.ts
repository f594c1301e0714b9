/** Samples of one image in memory, rows from the top, channels interleaved, no padding. */
export interface Picture {
  /** 0..255, or 0..65535 in a Uint16Array */
  data: Uint8Array | Uint16Array;
  /** Pixels */
  width: number;
  height: number;
  /** Samples a pixel, alpha included */
  channels: number;
  /** What the colour channels are. `cmyk` is 0 for no ink; `other` holds inks of other numbers, or CIE Lab */
  space: 'rgb' | 'grey' | 'cmyk' | 'other';
  /** The last channel is alpha, not premultiplied */
  hasAlpha: boolean;
}

/** The value of full intensity of a sample. */
export function maxSample({ data }: Picture): number {
  return data instanceof Uint16Array ? 65_535 : 255;
}

/** Whether the colour channels are light, which tone, networks and JPEG's bounds of error are made for. */
export function isLight({ space }: Pick<Picture, 'space'>): boolean {
  return space === 'rgb' || space === 'grey';
}

/** Channels without alpha. */
export function colourChannels({ channels, hasAlpha }: Picture): number {
  return hasAlpha ? channels - 1 : channels;
}

/** Samples of the same kind as the picture's, all zero. */
export function emptySamples({ data }: Picture, length: number): Uint8Array | Uint16Array {
  return data instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
}
