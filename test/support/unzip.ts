import { crc32 } from 'node:zlib';

/** `PK\x01\x02` */
const ENTRY = 0x02014b50;

/** The files of a ZIP without compression, read by its central directory as the format says (APPNOTE.TXT, 4.3). */
export function unzip(zip: Buffer): Record<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const files: Record<string, Buffer> = {};
  for (let at = zip.readUInt32LE(end + 16), left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== ENTRY || zip.readUInt16LE(at + 10) !== 0)
      throw new Error('The archive has a wrong entry.');
    const [checksum, size, nameLength] = [
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 24),
      zip.readUInt16LE(at + 28),
    ];
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(start, start + size);
    if (crc32(bytes) !== checksum) throw new Error('The archive has a wrong checksum.');
    files[zip.toString('utf8', at + 46, at + 46 + nameLength)] = bytes;
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}
