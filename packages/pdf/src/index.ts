export { PdfError, type PdfErrorCode } from './pdf-error.ts';
export { PDF_LIMITS, type PdfLimit } from './limits.ts';

export { openPdfDocument, createPdfDocument, type DocumentXref, type PdfDocument } from './document/pdf-document.ts';
export { createLayers, type Layers } from './document/layers.ts';
export { isLinearized } from './document/linearized.ts';
export {
  overlapOfBoxes,
  pageBoxes,
  pageFrame,
  quarterTurnsOf,
  readBox,
  type PageBox,
  type PageFrame,
} from './document/page-frame.ts';
export { walkPages, type Page } from './document/page-tree.ts';
export { isPdfA, isSigned } from './document/signature.ts';
export type { StreamReader } from './document/stream-reader.ts';
export type { XrefEntry, XrefIndex } from './document/xref-index.ts';
export type { Encryption } from './encryption/encryption.ts';
export {
  UnknownFilter,
  isImageFilter,
  isKnownFilter,
  type DecodedStream,
  type FilterStep,
  type ImageFilter,
} from './filters/filters.ts';

export type { ByteSource } from './syntax/byte-source.ts';
export { isSpace } from './syntax/characters.ts';
export {
  isDict,
  isKeyword,
  isName,
  isRef,
  isStream,
  isString,
  name,
  ref,
  type PdfDict,
  type PdfKeyword,
  type PdfName,
  type PdfRef,
  type PdfStream,
  type PdfString,
  type PdfValue,
} from './syntax/objects.ts';
export { EndOfInput, SyntaxFault, createParser, type Parser } from './syntax/parser.ts';
export { serialize } from './syntax/serialize.ts';

export { appendUpdate } from './write/append-update.ts';
export {
  nextNumber,
  type AddedObject,
  type AddedStream,
  type ChangedStream,
  type FilePart,
  type ObjectChanges,
  type StreamData,
} from './write/object-changes.ts';
export { findReachable } from './write/reachable.ts';
export { rewrite } from './write/rewrite.ts';
