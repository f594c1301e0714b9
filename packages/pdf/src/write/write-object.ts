import { openByteSource } from '../syntax/byte-source.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import { type PdfDict, type PdfStream, type PdfValue, isDict, isString } from '../syntax/objects.ts';
import { serialize } from '../syntax/serialize.ts';
import type { AddedObject, ChangedStream, StreamData } from './object-changes.ts';
import type { Output } from './output.ts';

interface Identity {
  number: number;
  generation: number;
}

/** Writes an object that is no stream. */
export function writeValue(output: Output, pdf: PdfDocument, identity: Identity, value: PdfValue): void {
  const { number, generation } = identity;
  output.write(`${number} ${generation} obj\n${serialize(storedStrings(pdf, value, identity))}\nendobj\n`);
}

/** Writes an object that the file does not have yet. */
export function writeAdded(output: Output, pdf: PdfDocument, added: AddedObject): void {
  const identity = { number: added.number, generation: 0 };
  if ('value' in added) writeValue(output, pdf, identity, added.value);
  else writeData(output, pdf, identity, added.dict, added.data);
}

/** Writes a stream of the file, with its change if there is one. */
export function writeStream(output: Output, pdf: PdfDocument, stream: PdfStream, change?: ChangedStream): void {
  const dict = change?.dict(stream) ?? stream.dict;
  if (change?.data !== undefined) {
    writeData(output, pdf, stream, withoutStaleParameters(dict, stream.dict), change.data);
    return;
  }
  const length = pdf.rawLength(stream);
  writeHead(output, pdf, stream, dict, length);
  output.copy(pdf.source, stream.start, length);
  writeEnd(output);
}

/** Parameters that the dictionary of an old coding had describe no data of a new one. */
function withoutStaleParameters(dict: PdfDict, before: PdfDict): PdfDict {
  const stale = ['DecodeParms', 'DP'].filter((key) => dict.has(key) && dict.get(key) === before.get(key));
  if (stale.length === 0 || dict.get('Filter') === before.get('Filter')) return dict;
  return new Map([...dict].filter(([key]) => !stale.includes(key)));
}

function writeData(output: Output, pdf: PdfDocument, identity: Identity, dict: PdfDict, data: StreamData): void {
  if (pdf.encryption !== undefined || typeof data === 'function') {
    const plain = typeof data === 'function' ? data() : readPart(data);
    const stored = pdf.encryption?.encryptStream(plain, identity.number, identity.generation) ?? plain;
    writeHead(output, pdf, identity, dict, stored.length);
    output.write(stored);
  } else {
    const source = openByteSource(data.path);
    try {
      writeHead(output, pdf, identity, dict, data.bytes);
      output.copy(source, data.start, data.bytes);
    } finally {
      source.close();
    }
  }
  writeEnd(output);
}

function readPart({ path, start, bytes }: Exclude<StreamData, () => Buffer>): Buffer {
  const source = openByteSource(path);
  try {
    return source.read(start, bytes);
  } finally {
    source.close();
  }
}

function writeHead(output: Output, pdf: PdfDocument, identity: Identity, dict: PdfDict, length: number): void {
  const { number, generation } = identity;
  const written = serialize(storedStrings(pdf, new Map(dict).set('Length', length), identity));
  output.write(`${number} ${generation} obj\n${written}\nstream\n`);
}

function writeEnd(output: Output): void {
  output.write('\nendstream\nendobj\n');
}

/**
 * Returns a value with its strings as its object stores them. In an encrypted file, the key of a string depends on its object
 * (ISO 32000-1 section 7.6.2): a string of another object, or a new one, gets the key of this one.
 */
function storedStrings(pdf: PdfDocument, value: PdfValue, object: { number: number; generation: number }): PdfValue {
  const { encryption } = pdf;
  if (encryption === undefined) return value;
  const stored = (part: PdfValue): PdfValue => {
    if (Array.isArray(part)) return part.map(stored);
    if (isDict(part)) return new Map([...part].map(([key, item]) => [key, stored(item)]));
    if (!isString(part)) return part;
    const owner = pdf.findOwner(part);
    if (owner?.number === object.number && owner.generation === object.generation) return part;
    return { ...part, bytes: encryption.encryptString(pdf.stringBytes(part), object.number, object.generation) };
  };
  return stored(value);
}
