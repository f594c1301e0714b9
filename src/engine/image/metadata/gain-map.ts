/**
 * Whether a JPEG holds more pictures than the one that decoders show: a gain map for bright screens (ISO 21496-1, Ultra HDR 1.1) or others
 * of the Multi-Picture Format (CIPA DC-007). Only the main one is enhanced.
 * @param head the beginning of the file, up to the pixels at least
 */
export function furtherPictures(head: Uint8Array): 'gain map' | 'pictures' | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const end = text.indexOf(START_OF_SCAN);
  const segments = end < 0 ? text : text.subarray(0, end);
  if (GAIN_MAPS.some((sign) => segments.includes(sign))) return 'gain map';
  return segments.includes('MPF\0') ? 'pictures' : undefined;
}

const START_OF_SCAN = Buffer.from([0xff, 0xda, 0x00, 0x0c]);
/** Namespaces of Ultra HDR and of Apple, and the name of the standard's own segment. */
const GAIN_MAPS = ['http://ns.adobe.com/hdr-gain-map/1.0/', 'HDRGainMap', 'urn:iso:std:iso:ts:21496:-1'];
