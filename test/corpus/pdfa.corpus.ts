import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { resolvePdfParameters } from '@burnish/contract';
import { analyzePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { enhancePdf } from '../../packages/engine/test/pdf/support.ts';
import { corpusFolder, isSharedCorpus, pdfsIn } from './expected.ts';
import { drawnAt100Dpi } from './variants.ts';
import { conformanceOf, veraPdf } from './verapdf.ts';
import { testUnless } from '../support/needs.ts';

const folder = corpusFolder();
const scratch = mkdtempSync(join(tmpdir(), 'burnish-pdfa-'));
const program = await veraPdf();
afterAll(() => rmSync(scratch, { recursive: true }));

/** Files whose metadata claims PDF/A and that have an image to enhance. */
const claimed = pdfsIn(folder).filter((name) => readFileSync(join(folder, name)).includes('pdfaid'));

if (isSharedCorpus(folder))
  it('the shared corpus contains files that claim to be PDF/A', () => {
    expect(claimed.length).toBeGreaterThan(0);
  });

if (claimed.length === 0) testUnless('a file that claims to be PDF/A')('PDF/A stays PDF/A', () => undefined);
for (const [name, compact] of claimed.flatMap((each) => [false, true].map((compact) => [each, compact] as const)))
  it(`${name} breaks no rule of PDF/A that its original kept (compact: ${compact})`, async () => {
    const [inputPath, outputPath] = [join(folder, name), join(scratch, `${compact}-${basename(name)}`)];
    const { facts } = await analyzePdf({ inputPath });
    const forced = drawnAt100Dpi(facts);
    const parameters = resolvePdfParameters({ targetResolution: 200, compact }, 300);
    const { enhanced } = await enhancePdf({ inputPath, outputPath, facts: forced, parameters });
    const [before, after] = [conformanceOf(program, inputPath), conformanceOf(program, outputPath)];
    console.log(JSON.stringify({ name, compact, enhanced, profile: before.profile, broken: before.broken.length }));
    expect(after.profile).toBe(before.profile);
    expect(after.broken.filter((rule) => !before.broken.includes(rule))).toEqual([]);
  });
