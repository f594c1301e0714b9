/**
 * The limits on an untrusted PDF, by name. An honest file of a gigabyte reaches none of them. Together they limit what a
 * hostile file costs to seconds and a few hundred megabytes.
 */
export const PDF_LIMITS = {
  /** Bytes of one object without its stream data; also the longest string or array that the parser reads. */
  objectBytes: { max: 32_000_000, what: 'bytes in one object' },
  /** Highest object number (ISO 32000-1 Annex C.2 names 8,388,607 indirect objects). */
  objectNumber: { max: 8_388_607, what: 'as an object number' },
  /** Cross-reference sections; each incremental save adds one. */
  xrefSections: { max: 5_000, what: 'cross-reference sections' },
  /** Inflated bytes of one object stream or cross-reference stream. */
  objectStreamBytes: { max: 128_000_000, what: 'bytes in one object stream' },
  /** Inflated bytes of the content stream of one page or form. */
  contentBytes: { max: 128_000_000, what: 'bytes of content in one page or form' },
  /** Inflated bytes of one image's data, where the image's own size allows no lower limit. */
  imageBytes: { max: 1_000_000_000, what: 'bytes in one image' },
  /** Inflated bytes of all object streams and content streams together. */
  inflatedBytes: { max: 2_000_000_000, what: 'bytes of objects and content once inflated' },
  /** Filters of one stream. */
  filters: { max: 8, what: 'filters on one stream' },
  pages: { max: 50_000, what: 'pages' },
  /** Nodes visited in the page tree, leaves included. */
  pageTreeNodes: { max: 200_000, what: 'nodes in the page tree' },
} as const satisfies Record<string, { max: number; what: string }>;

export type PdfLimit = keyof typeof PDF_LIMITS;
