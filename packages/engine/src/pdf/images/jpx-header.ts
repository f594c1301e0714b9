/** Header of a JPEG 2000 file or codestream (ITU-T T.800 Annex A.5.1 and I.5.3). */
export interface JpxHeader {
  width: number;
  height: number;
  components: number;
  /** Maximum bits per sample of all components */
  precision: number;
  plain: boolean;
  /** The enumerated colour space, if the file has one: 16 is sRGB, 17 grey */
  colorSpace: number | undefined;
  /** Number of decomposition levels, each half the size of the one before */
  levels: number;
  /** The last component is the opacity of the others, which are premultiplied or straight */
  alpha: 'straight' | 'premultiplied' | undefined;
  /** The file has a palette, or channels in an unusual order */
  special: boolean;
}

const SIZ = Buffer.from([0xff, 0x4f, 0xff, 0x51]);
const PREAMBLE_BYTES = 4096;

/** Returns the position of the codestream, or a negative number. */
export const findCodestream = (data: Buffer): number => data.subarray(0, 1_000_000).indexOf(SIZ);

/** @returns undefined when no codestream begins near the start of the data */
export function readJpxHeader(data: Buffer): JpxHeader | undefined {
  const start = findCodestream(data);
  if (start < 0 || start + 42 > data.length) return undefined;
  const word = (offset: number): number => data.readUInt32BE(start + offset);
  const components = data.readUInt16BE(start + 40);
  const details = data.subarray(start + 42, start + 42 + 3 * components);
  if (components === 0 || details.length < 3 * components) return undefined;
  let precision = 0;
  let plain = true;
  for (let i = 0; i < details.length; i += 3) {
    precision = Math.max(precision, (details[i]! & 0x7f) + 1);
    if (details[i]! >= 0x80 || details[i] !== details[0] || details[i + 1] !== 1 || details[i + 2] !== 1) plain = false;
  }
  const boxes = data.subarray(0, Math.min(start, PREAMBLE_BYTES));
  const colr = boxes.indexOf('colr');
  return {
    width: word(8) - word(16),
    height: word(12) - word(20),
    components,
    precision,
    plain,
    colorSpace:
      colr >= 0 && boxes[colr + 4] === 1 && colr + 11 <= boxes.length ? boxes.readUInt32BE(colr + 7) : undefined,
    levels: readLevels(data, start),
    alpha: readAlpha(boxes, components),
    special: boxes.includes('pclr') || isUnusual(boxes, components),
  };
}

/** Returns the decomposition levels of the coding style in the main header (Annex A.6.1). */
function readLevels(data: Buffer, start: number): number {
  for (
    let at = start + 2;
    at + 10 < data.length && data[at] === 0xff && data[at + 1] !== 0x90;
    at += 2 + data.readUInt16BE(at + 2)
  ) {
    if (data[at + 1] === 0x52) return Math.min(32, data[at + 9]!);
  }
  return 0;
}

interface Channel {
  channel: number;
  /** 0 is colour, 1 opacity, 2 premultiplied opacity */
  type: number;
  /** Index of the associated colour, from 1; 0 for the whole image */
  colour: number;
}

/** Reads a channel definition box (Annex I.5.3.6). */
function readChannels(boxes: Buffer): Channel[] {
  const at = boxes.indexOf('cdef');
  if (at < 0 || at + 6 > boxes.length) return [];
  const channels: Channel[] = [];
  const count = boxes.readUInt16BE(at + 4);
  for (let i = 0, from = at + 6; i < count && from + 6 <= boxes.length; i += 1, from += 6)
    channels.push({
      channel: boxes.readUInt16BE(from),
      type: boxes.readUInt16BE(from + 2),
      colour: boxes.readUInt16BE(from + 4),
    });
  return channels;
}

function readAlpha(boxes: Buffer, components: number): JpxHeader['alpha'] {
  const last = readChannels(boxes).find(({ channel }) => channel === components - 1);
  return last?.type === 1 ? 'straight' : last?.type === 2 ? 'premultiplied' : undefined;
}

/** Returns whether a channel is neither the colour of its position nor an opacity in the last position. */
function isUnusual(boxes: Buffer, components: number): boolean {
  return readChannels(boxes).some(({ channel, type, colour }) =>
    type === 0 ? colour !== channel + 1 : (type !== 1 && type !== 2) || channel !== components - 1,
  );
}
