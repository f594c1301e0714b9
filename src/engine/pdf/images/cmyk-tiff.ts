/**
 * Raw CMYK samples of 8 bits as an uncompressed TIFF: the one way to tell libvips that four channels are inks (TIFF 6.0,
 * section 16). The samples are copied once.
 */
export function cmykTiff(data: Uint8Array, width: number, height: number): Buffer {
  const HEADER_BYTES = 8;
  const entries: [tag: number, type: 3 | 4, count: number, value: number][] = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    // Four values do not fit into the entry: they stand after the directory.
    [258, 3, 4, HEADER_BYTES + 2 + 10 * 12 + 4],
    [259, 3, 1, 1],
    [262, 3, 1, 5],
    [273, 4, 1, HEADER_BYTES + 2 + 10 * 12 + 4 + 8],
    [277, 3, 1, 4],
    [278, 4, 1, height],
    [279, 4, 1, data.length],
    [284, 3, 1, 1],
  ];
  const head = Buffer.alloc(HEADER_BYTES + 2 + entries.length * 12 + 4 + 8);
  head.write('II', 0, 'latin1');
  head.writeUInt16LE(42, 2);
  head.writeUInt32LE(HEADER_BYTES, 4);
  head.writeUInt16LE(entries.length, HEADER_BYTES);
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    const at = HEADER_BYTES + 2 + i * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(count, at + 4);
    head.writeUInt32LE(value, at + 8);
  }
  for (let i = 0; i < 4; i += 1) head.writeUInt16LE(8, head.length - 8 + 2 * i);
  return Buffer.concat([head, data]);
}
