/** Bytes of the length of a frame: an unsigned integer, big-endian. */
const HEADER_BYTES = 4;

/** Maximum bytes of the JSON in a frame. The longest result is a list of pages (`MAX_LISTED_AREAS`). */
export const MAX_FRAME_BYTES = 8 * 1024 ** 2;

/** Encodes a message between parent and child: the length in bytes, then JSON in UTF-8. */
export function encodeFrame(message: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(message), 'utf8');
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(json.length);
  return Buffer.concat([header, json]);
}

/**
 * Splits a stream of bytes into frames. It holds at most one frame in memory.
 * @param onMessage receives the value of each frame in order; nothing about the value is checked
 * @returns the function that takes the next bytes. It throws RangeError for a length of 0 or above `MAX_FRAME_BYTES`, and
 * SyntaxError for anything but JSON. The stream has no valid continuation after an error.
 */
export function frameReader(onMessage: (value: unknown) => void): (chunk: Buffer) => void {
  let part = { bytes: Buffer.alloc(HEADER_BYTES), filled: 0, isHeader: true };
  return (chunk) => {
    for (let rest = chunk; rest.length > 0;) {
      const taken = rest.copy(part.bytes, part.filled);
      rest = rest.subarray(taken);
      part.filled += taken;
      if (part.filled < part.bytes.length) return;
      const { bytes, isHeader } = part;
      part = { bytes: Buffer.allocUnsafe(isHeader ? lengthIn(bytes) : HEADER_BYTES), filled: 0, isHeader: !isHeader };
      if (!isHeader) onMessage(JSON.parse(bytes.toString('utf8')));
    }
  };
}

function lengthIn(header: Buffer): number {
  const length = header.readUInt32BE();
  if (length === 0 || length > MAX_FRAME_BYTES) throw new RangeError(`A frame has ${length} bytes.`);
  return length;
}
