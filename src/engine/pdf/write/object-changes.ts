import type { PdfDict, PdfValue } from '../syntax/objects.ts';

export interface AddedStream {
  number: number;
  /** Without its `Length` */
  dict: PdfDict;
  /** Makes the data as it is stored, so that many streams need no memory together. */
  data: () => Buffer;
}

/** Changes of objects that are no images. An encrypted file has none. */
export interface ObjectChanges {
  /** New values by object number; none is a stream */
  replaced: ReadonlyMap<number, PdfValue>;
  added: readonly AddedStream[];
  /** Lowest object number that is free after these changes */
  next: number;
}
