import type { PdfDict, PdfValue } from '../syntax/objects.ts';
import { serialize } from '../syntax/serialize.ts';
import type { AddedStream } from './object-changes.ts';
import type { Output } from './output.ts';

export interface Identity {
  number: number;
  generation: number;
}

/** Writes an object that is no stream. */
export function writeValue(output: Output, { number, generation }: Identity, value: PdfValue): void {
  output.write(`${number} ${generation} obj\n${serialize(value)}\nendobj\n`);
}

export function writeAddedStream(output: Output, { number, dict, data }: AddedStream): void {
  const bytes = data();
  writeStreamHead(output, { number, generation: 0 }, new Map(dict).set('Length', bytes.length));
  output.write(bytes);
  writeStreamEnd(output);
}

/** Writes what precedes the data of a stream. */
export function writeStreamHead(output: Output, { number, generation }: Identity, dict: PdfDict): void {
  output.write(`${number} ${generation} obj\n${serialize(dict)}\nstream\n`);
}

export function writeStreamEnd(output: Output): void {
  output.write('\nendstream\nendobj\n');
}
