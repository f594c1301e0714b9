/** The program of an embedded font, as far as text that is shown with it needs it. Widths are thousandths of an em. */
export interface GlyphSource {
  /** @returns undefined for a glyph that the program does not have */
  widthOfName(name: string): number | undefined;
  /** By the number of a glyph in a TrueType font, or by a CID */
  widthOfNumber(number: number): number | undefined;
  /** The name for each code that the program itself defines; undefined where it has none */
  encoding?: ReadonlyMap<number, string>;
  /** Looks a code up in one of the tables from characters to glyphs of a TrueType font */
  glyphOf?(platform: number, encoding: number, code: number): number | undefined;
  /** The tables that it has, such as `3,1` */
  tables?: readonly string[];
}

/** The program has a form that this reader does not know, or is damaged. */
export class UnreadableFont extends Error {}
