import type { PdfDict } from '@burnish/pdf';

/** What the content of a file shows with a font. */
export interface FontUse {
  font: PdfDict;
  /** Strings of codes that are visible; equal ones count once */
  shown: Set<string>;
  /** Strings of codes that are invisible */
  hidden: Set<string>;
  pages: Set<number>;
}

export interface FontUses {
  add(font: PdfDict, codes: Buffer, isVisible: boolean, page: number | undefined): void;
  all(): Iterable<FontUse>;
}

export function createFontUses(): FontUses {
  const uses = new Map<PdfDict, FontUse>();
  return {
    add(font, codes, isVisible, page) {
      const use = uses.get(font) ?? { font, shown: new Set(), hidden: new Set(), pages: new Set() };
      uses.set(font, use);
      (isVisible ? use.shown : use.hidden).add(codes.toString('latin1'));
      if (page !== undefined) use.pages.add(page);
    },
    all: () => uses.values(),
  };
}
