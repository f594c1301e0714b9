/** Frame header of a JPEG (ITU-T T.81 section B.2.2); it takes precedence over the PDF's dictionary. */
export interface JpegHeader {
  width: number;
  height: number;
  components: number;
  precision: number;
  /** Baseline, extended or progressive Huffman coding, which libjpeg decodes */
  common: boolean;
  /** The colour transform of an Adobe marker, if there is one */
  adobeTransform: number | undefined;
}

/** @returns undefined when the data contains no frame header */
export function readJpegHeader(data: Uint8Array): JpegHeader | undefined {
  let adobeTransform: number | undefined;
  // Some writers add one or two end-of-line markers before the data.
  let at = 0;
  while (at < 64 && !(data[at] === 0xff && data[at + 1] === 0xd8)) at += 1;
  for (at += 2; at + 9 < data.length;) {
    if (data[at] !== 0xff) {
      at += 1;
      continue;
    }
    const marker = data[at + 1] as number;
    if (marker === 0xff || marker === 0 || (marker >= 0xd0 && marker <= 0xd9)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const word = (offset: number): number => ((data[at + offset] as number) << 8) | (data[at + offset + 1] as number);
    if (marker === 0xda) return undefined;
    if (marker === 0xee && Buffer.from(data.subarray(at + 4, at + 9)).toString('latin1') === 'Adobe')
      adobeTransform = data[at + 15];
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return {
        precision: data[at + 4] as number,
        height: word(5),
        width: word(7),
        components: data[at + 9] as number,
        common: marker <= 0xc2,
        adobeTransform,
      };
    }
    at += 2 + word(2);
  }
  return undefined;
}
