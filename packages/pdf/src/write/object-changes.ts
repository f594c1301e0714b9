import { PDF_LIMITS } from '../limits.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import type { PdfDict, PdfStream, PdfValue } from '../syntax/objects.ts';

/** A part of another file, which is copied in pieces. */
export interface FilePart {
  path: string;
  /** Offset of the first byte */
  start: number;
  bytes: number;
}

/**
 * New data of a stream, in the coding that its dictionary names: a part of a file, or a function that makes the bytes when
 * they are written, so that many streams need no memory together. An encrypted file gets it encrypted.
 */
export type StreamData = FilePart | (() => Buffer);

/** A change of a stream of the file. */
export interface ChangedStream {
  /**
   * Makes the new dictionary from the present stream. The writer sets its `Length`, and removes the present `DecodeParms` where new data
   * have a new `Filter`.
   */
  dict: (stream: PdfStream) => PdfDict;
  /** Absent: the stored bytes stay */
  data?: StreamData;
}

/** A stream that the file does not have yet. */
export interface AddedStream {
  /** From `nextNumber` on */
  number: number;
  /** Without its `Length` */
  dict: PdfDict;
  data: StreamData;
}

/** An object that is no stream and that the file does not have yet. */
export interface AddedValue {
  /** From `nextNumber` on */
  number: number;
  value: PdfValue;
}

export type AddedObject = AddedStream | AddedValue;

/** Changes of a file. The writer encrypts new strings of an encrypted file, and those that have moved to another object. */
export interface ObjectChanges {
  /** New values by object number; none is a stream */
  values?: ReadonlyMap<number, PdfValue>;
  /** Changed streams by object number */
  streams?: ReadonlyMap<number, ChangedStream>;
  added?: readonly AddedObject[];
}

/** Returns the lowest object number that the file neither uses nor declares. */
export function nextNumber(pdf: PdfDocument): number {
  const { index, trailer } = pdf.xref();
  const declared = trailer.get('Size');
  const isSound = typeof declared === 'number' && declared <= PDF_LIMITS.objectNumber.max;
  return Math.max(index.size(), isSound ? Math.ceil(declared) : 0);
}

/** Returns one more than the highest object number of the changed file: the `Size` of its trailer. */
export function sizeWith(pdf: PdfDocument, added: readonly AddedObject[]): number {
  return added.reduce((size, { number }) => Math.max(size, number + 1), nextNumber(pdf));
}
