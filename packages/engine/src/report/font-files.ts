import { access } from 'node:fs/promises';
import { PACKAGE_FOLDER } from '../package-folder.ts';

/** Asked in this order for what the standard fonts lack. Only the glyphs of the report are embedded. */
export const FONT_FILES = [
  'NotoSans-Regular.ttf',
  'NotoSansHebrew-Regular.ttf',
  'NotoSansArabic-Regular.ttf',
  'NotoSansThai-Regular.ttf',
  'NotoSansDevanagari-Regular.ttf',
  'NotoEmoji-Regular.woff',
  'DroidSansFallback.ttf',
];

export const fontFile = (name: string): URL => new URL(`fonts/${name}`, PACKAGE_FOLDER);

/** The fonts of reports that this installation lacks. */
export async function missingFonts(): Promise<string[]> {
  const found = await Promise.all(
    FONT_FILES.map((file) =>
      access(fontFile(file)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return FONT_FILES.filter((_, index) => !found[index]);
}
