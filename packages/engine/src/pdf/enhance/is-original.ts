/** What may change in a PDF besides its images. */
export interface PageChanges {
  /** Pages with a new layer of text */
  textPages: number;
  /** Pages that stood on their head or side */
  turnedPages: number;
  /** Pages that the result lacks */
  dropped: readonly number[];
  /** It is PDF/A-2b */
  archived: boolean;
}

/** Whether nothing changed in a PDF, so that its result is the original, byte for byte. @param made `enhanced` counts images */
export const isOriginal = (made: PageChanges & { enhanced: number }): boolean =>
  made.enhanced + made.textPages + made.turnedPages + made.dropped.length === 0 && !made.archived;
