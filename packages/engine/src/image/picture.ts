/** Samples of one image in memory, rows from the top, channels interleaved, no padding. */
export interface Picture {
  /** 0..255, or 0..65535 in a Uint16Array */
  data: Uint8Array | Uint16Array;
  /** Pixels */
  width: number;
  height: number;
  /** Samples per pixel, including alpha */
  channels: number;
  /**
   * Colour space of the colour channels. `cmyk` uses 0 for no ink; `other` contains inks in other numbers, or CIE Lab
   */
  space: 'rgb' | 'grey' | 'cmyk' | 'other';
  hasAlpha: boolean;
}

/** Returns the maximum sample value. */
export function maxSample({ data }: Picture): number {
  return data instanceof Uint16Array ? 65_535 : 255;
}

/**
 * Returns whether the picture is additive (RGB or grey). The tone steps, the networks and the JPEG error limits require
 * that.
 */
export function isLight({ space }: Pick<Picture, 'space'>): boolean {
  return space === 'rgb' || space === 'grey';
}

export function colourChannels({ channels, hasAlpha }: Picture): number {
  return hasAlpha ? channels - 1 : channels;
}

export function emptySamples({ data }: Picture, length: number): Uint8Array | Uint16Array {
  return data instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
}
