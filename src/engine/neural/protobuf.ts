/** Value of one field: an integer, text, bytes of raw data or of a message, or a float. */
export type FieldValue = number | string | Uint8Array | { float: number };

/**
 * Encodes one Protocol Buffers message (protobuf.dev/programming-guides/encoding) with its fields in the given order
 * and repeated fields unpacked. The same fields always give the same bytes, which libraries do not guarantee, so that a
 * hash can verify the output.
 * @param fields number and value; the caller omits absent fields
 */
export function encodeMessage(fields: readonly (readonly [number, FieldValue])[]): Uint8Array {
  return Buffer.concat(fields.flatMap(([number, value]) => encodeField(number, value)));
}

function encodeField(number: number, value: FieldValue): Uint8Array[] {
  if (typeof value === 'number') return [varint(number * 8), varint(value)];
  if (typeof value === 'object' && !(value instanceof Uint8Array)) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value.float);
    return [varint(number * 8 + 5), bytes];
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return [varint(number * 8 + 2), varint(bytes.length), bytes];
}

/** @param value a non-negative integer */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
