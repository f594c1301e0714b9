import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { resolvePdfParameters } from '@burnish/contract';
import { EngineError } from '@burnish/contract/engine';
import { analyzePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { enhancePdf } from '../../packages/engine/test/pdf/support.ts';
import { corpusFolder, isSharedCorpus, pdfsIn } from './expected.ts';
import { drawnAt100Dpi } from './variants.ts';
import { conformanceOf, conformancesOf, veraPdf } from '../support/verapdf.ts';
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

it('veraPDF finds no broken rule in archives of the corpus, and each other file is refused with its reasons', async () => {
  const archives: string[] = [];
  const reasons = new Map<string, number>();
  for (const name of pdfsIn(folder)) {
    const [inputPath, outputPath] = [join(folder, name), join(scratch, `archive-${basename(name)}`)];
    const parameters = resolvePdfParameters({
      targetResolution: 72,
      customColorConfig: { auto: false },
      archive: true,
    });
    try {
      await enhancePdf({ inputPath, outputPath, parameters });
      archives.push(outputPath);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const found = [...(error.detail ?? '').matchAll(/ (?:has|have) ([^.]+)\./g)].map(([, reason]) => reason!);
      for (const reason of found.length > 0 ? found : [error.code]) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  const refused = Object.fromEntries([...reasons].sort(([, one], [, other]) => other - one));
  console.log(JSON.stringify({ archives: archives.length, refused }, null, 1));
  const broken = conformancesOf(program, archives).map(({ broken: rules }, k) => [basename(archives[k]!), rules]);
  expect(broken.filter(([, rules]) => rules!.length > 0)).toEqual([]);
}, 600_000);
