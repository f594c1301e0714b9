/**
 * The object types of ISO 32000-1 section 7.3 as plain values. Numbers, booleans, null and arrays are those of
 * JavaScript; dictionaries are maps from the name without its slash. Strings keep their stored bytes, still encrypted
 * in an encrypted file. An object can thus be written again without interpretation.
 */
export interface PdfName {
  readonly kind: 'name';
  /** One character per byte, `#` escapes resolved */
  readonly value: string;
}

export interface PdfString {
  readonly kind: 'string';
  readonly bytes: Buffer;
  readonly hex: boolean;
}

export interface PdfRef {
  readonly kind: 'ref';
  readonly number: number;
  readonly generation: number;
}

export interface PdfKeyword {
  readonly kind: 'keyword';
  readonly value: string;
}

export type PdfDict = Map<string, PdfValue>;

export interface PdfStream {
  readonly kind: 'stream';
  readonly dict: PdfDict;
  /** Offset of the data from the start of the file, bytes */
  readonly start: number;
  /** Object number of the stream, for its encryption key; 0 for a stream that is not an object */
  readonly number: number;
  readonly generation: number;
}

export type PdfValue = null | boolean | number | PdfName | PdfString | PdfRef | PdfValue[] | PdfDict | PdfStream;

export const name = (value: string): PdfName => ({ kind: 'name', value });
export const ref = (number: number, generation = 0): PdfRef => ({ kind: 'ref', number, generation });

export const isDict = (value: unknown): value is PdfDict => value instanceof Map;

function isKind<K extends string>(value: unknown, kind: K): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}

export const isName = (value: unknown): value is PdfName => isKind(value, 'name');
export const isString = (value: unknown): value is PdfString => isKind(value, 'string');
export const isRef = (value: unknown): value is PdfRef => isKind(value, 'ref');
export const isStream = (value: unknown): value is PdfStream => isKind(value, 'stream');
export const isKeyword = (value: unknown): value is PdfKeyword => isKind(value, 'keyword');
