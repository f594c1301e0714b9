import { CHARACTER_CLASS } from './characters.ts';
import { isDict, type PdfDict, type PdfValue } from './objects.ts';

/** Serialises an object in file syntax. The caller writes the dictionary and data of a stream. */
export function serialize(value: PdfValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return serializeNumber(value);
  if (Array.isArray(value)) return `[${value.map(serialize).join(' ')}]`;
  if (isDict(value)) return serializeDict(value);
  switch (value.kind) {
    case 'name':
      return serializeName(value.value);
    case 'ref':
      return `${value.number} ${value.generation} R`;
    case 'string':
      return `<${value.bytes.toString('hex')}>`;
    case 'stream':
      throw new TypeError('Expected an object that stands inside another but received a stream.');
  }
}

function serializeDict(dict: PdfDict): string {
  let text = '<<';
  for (const [key, value] of dict) text += `${serializeName(key)} ${serialize(value)} `;
  return `${text}>>`;
}

/** Serialises a name and escapes invalid bytes (ISO 32000-1 section 7.3.5). */
function serializeName(value: string): string {
  let text = '/';
  for (const character of value) {
    const byte = character.charCodeAt(0);
    const plain = byte > 0x20 && byte < 0x7f && byte !== 0x23 && CHARACTER_CLASS[byte] === 0;
    text += plain ? character : `#${byte.toString(16).padStart(2, '0')}`;
  }
  return text;
}

/** Serialises a number without an exponent, which PDF does not support. */
function serializeNumber(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return Math.abs(value) < 1 ? value.toFixed(20).replace(/\.?0+$/, '') : BigInt(Math.round(value)).toString();
}
