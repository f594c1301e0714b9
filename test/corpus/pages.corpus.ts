import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import sharp from 'sharp';
import { comparedWith } from '../../bench/document/compare-pages.ts';
import { cleanInPdf } from '../../bench/document/scanned-pdf.ts';
import { pixels } from '../../bench/quality/contenders.ts';
import { corpusFolder } from './expected.ts';
import { requireJudges } from './judges.ts';
import { testUnless } from '../support/needs.ts';

requireJudges();
/** Scans beside the PDFs; a folder of the user's own files has none. */
const scans = join(corpusFolder(), '..', 'scans');
const scratch = mkdtempSync(join(tmpdir(), 'burnish-corpus-pages-'));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Floor {
  /** Resolution of the scan */
  dpi: number;
  /** Least shares of the paper that is white, and of the ink and the colours that stay */
  white: number;
  ink: number;
  /** The PDF is at most this multiple of the original */
  growth: number;
}

const { pages } = JSON.parse(readFileSync(new URL('floors.json', import.meta.url), 'utf8')) as {
  pages: Record<string, Floor>;
};

for (const [name, floor] of Object.entries(pages)) {
  testUnless(existsSync(join(scans, name)) ? undefined : name)(
    `mode DOCUMENT makes the paper of ${name} white, and keeps its ink`,
    async () => {
      const file = await sharp(join(scans, name))
        .flatten({ background: 'white' })
        .toColourspace('srgb')
        .png()
        .toBuffer();
      const cleaned = await cleanInPdf({ file, dpi: floor.dpi, words: ['scan'], damage: 'nothing' });
      const kept = comparedWith(await pixels(cleaned.before))(await pixels(cleaned.after));
      console.log(JSON.stringify({ name, ...kept, growth: cleaned.growth }));
      expect(kept.white).toBeGreaterThanOrEqual(floor.white);
      expect(kept.ink).toBeGreaterThanOrEqual(floor.ink);
      expect(cleaned.growth).toBeLessThanOrEqual(floor.growth);
    },
  );
}
