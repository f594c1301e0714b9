/** A value of one field: a whole number, text, bytes of raw data or of a message, a float. */
export type FieldValue = number | string | Uint8Array | { float: number };

/**
 * Codes one Protocol Buffers message (protobuf.dev/programming-guides/encoding): fields in the order given, repeated fields one
 * by one. The same fields give the same bytes, which a library does not promise; so what we write can be checked by a hash.
 * @param fields number and value; values of absent fields are left out by the caller
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

/** @param value a whole number, 0 or more */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
