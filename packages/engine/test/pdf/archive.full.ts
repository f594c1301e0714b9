import { beforeAll, expect } from '@jest/globals';
import { testUnless } from '../../../../test/support/needs.ts';
import { conformancesOf, lackOfVeraPdf, veraPdf } from '../../../../test/support/verapdf.ts';
import { scratchFolder } from '../support/files.ts';
import { buildPdf, imagePage } from '../../../pdf/test/build-pdf.ts';
import { archivable, COMPOSITE, fontPage, scanPage, SIMPLE } from './archivable-files.ts';
import { jpegImage, photograph } from './pictures.ts';
import { enhanceBytes, enhancePdf, parametersOf, RESIZE_ONLY } from './support.ts';

const scratch = await scratchFolder();
const lack = await lackOfVeraPdf();
const ARCHIVE = { ...RESIZE_ONLY, targetResolution: 0, archive: true };
const paths: string[] = [];

beforeAll(async () => {
  for (const [k, xref] of (['table', 'stream', 'objects', 'hybrid', 'none'] as const).entries())
    paths.push((await enhanceBytes(buildPdf(scanPage(), { xref }), scratch(`scan-${k}`), ARCHIVE)).outputPath);
  paths.push((await enhanceBytes(archivable(), scratch('archivable'), ARCHIVE)).outputPath);
  for (const page of [SIMPLE, COMPOSITE])
    paths.push((await enhanceBytes(buildPdf(fontPage(page)), scratch(`font-${paths.length}`), ARCHIVE)).outputPath);
  const photo = buildPdf(imagePage(await jpegImage(photograph(120, 90)), 120, 90));
  paths.push((await enhanceBytes(photo, scratch('doubled'), { ...ARCHIVE, targetResolution: 144 })).outputPath);
  const [inputPath, outputPath] = [`${scratch('scan-0')}.pdf`, scratch('read.pdf')];
  const parameters = { ...parametersOf({ text: true, archive: true }), targetResolution: 0 };
  const word = { text: 'word 😀', left: 2, top: 2, width: 20, height: 10 };
  await enhancePdf({ inputPath, outputPath, parameters, readWords: async () => [word] });
  paths.push(outputPath);
});

testUnless(lack)(
  'veraPDF finds no broken rule in archives',
  async () => {
    const found = conformancesOf(await veraPdf(), paths);
    expect(found).toEqual(paths.map(() => ({ profile: 'PDF/A-2B validation profile', broken: [] })));
  },
  180_000,
);
