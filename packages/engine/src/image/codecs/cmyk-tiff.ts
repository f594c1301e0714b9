import type { Picture } from '../picture.ts';

const SHORT = 3;
const LONG = 4;

/**
 * Wraps CMYK samples of 8 bits in a minimal TIFF (TIFF 6.0, sections 2 and 16). sharp interprets raw samples of four
 * channels as RGB with alpha; a TIFF declares them as CMYK.
 */
export function cmykTiff({ data, width, height }: Pick<Picture, 'data' | 'width' | 'height'>): Buffer {
  const header = 8;
  const depthsAt = header + data.length + (data.length & 1);
  const directoryAt = depthsAt + 8;
  const entries: [tag: number, type: number, count: number, value: number][] = [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, 4, depthsAt],
    [259, SHORT, 1, 1],
    [262, SHORT, 1, 5],
    [273, LONG, 1, header],
    [277, SHORT, 1, 4],
    [278, LONG, 1, height],
    [279, LONG, 1, data.length],
  ];
  const file = Buffer.alloc(directoryAt + 2 + entries.length * 12 + 4);
  file.write('II*\0', 0, 'latin1');
  file.writeUInt32LE(directoryAt, 4);
  file.set(data, header);
  for (let i = 0; i < 4; i += 1) file.writeUInt16LE(8, depthsAt + 2 * i);
  file.writeUInt16LE(entries.length, directoryAt);
  entries.forEach(([tag, type, count, value], i) => {
    const at = directoryAt + 2 + i * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(count, at + 4);
    file.writeUInt32LE(value, at + 8);
  });
  return file;
}
