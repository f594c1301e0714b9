import { ARCHIVE_REMOVALS, EngineError, type ArchiveRemoval } from '@burnish/contract/engine';
import {
  isDict,
  isRef,
  isSigned,
  name,
  rewrite,
  walkPages,
  type PdfDict,
  type PdfDocument,
  type PdfRef,
} from '@burnish/pdf';
import { decodeContent } from '../pages/decode-content.ts';
import { contentsOfPage, numbers } from '../pages/page-draws.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { checkAnnotations } from './annotations.ts';
import { createArchivePass, dictOf, dropKeys, addObstacle, type ArchivePass } from './archive-pass.ts';
import { checkCatalog } from './catalog.ts';
import { createColourChecker } from './colour-spaces.ts';
import { createContentChecker, type ContentChecker } from './content-checker.ts';
import { checkFonts } from './fonts.ts';
import { addProfile, outputIntent, profileNamed } from './output-intent.ts';
import { checkStoredObjects } from './stored-objects.ts';
import { readInfo, writeInfo, xmpOf } from './xmp-metadata.ts';

/** Version of PDF that PDF/A-2 builds on (ISO 19005-2 section 6.1.2). */
const VERSION = '1.7';
/** Lengths of the sides of a page, units (ISO 19005-2 section 6.1.13) */
const SIDES = { least: 3, most: 14_400 } as const;

/**
 * Refuses a file that cannot become PDF/A-2b, before any work on it.
 * @throws EngineError NOT_ARCHIVABLE with the reasons by page
 */
export async function assertArchivable(pdf: PdfDocument, run: Run): Promise<void> {
  await prepare(pdf, run);
}

/**
 * Writes a file as PDF/A-2b (ISO 19005-2): with an output intent and new metadata, without scripts, LZW and metadata of parts. What shows
 * stays as it is.
 * @returns what it lacks of the original
 * @throws as `assertArchivable`
 */
export async function archivePdf(pdf: PdfDocument, outputPath: string, run: Run): Promise<ArchiveRemoval[]> {
  const pass = await prepare(pdf, run);
  const { objects, removed } = pass;
  const { trailer } = pdf.xref();
  const catalog = objects.resolve(trailer.get('Root')) as PdfDict;
  const given = objects.resolve(trailer.get('Info'));
  const info: PdfDict = isDict(given) ? given : new Map();
  const facts = readInfo(info, objects.resolve, ({ bytes }) => bytes);
  dropKeys(pass, catalog, ['Metadata']);
  const metadata: PdfDict = new Map([
    ['Type', name('Metadata')],
    ['Subtype', name('XML')],
  ]);
  const xmp = Buffer.from(xmpOf(facts));
  objects.edit(catalog).set(
    'Metadata',
    objects.add(metadata, () => xmp),
  );
  catalog.set('OutputIntents', [objects.add(outputIntent(addProfile(objects, 'srgb', await profileNamed('srgb'))))]);
  const renewed: PdfDict = new Map(trailer).set('Info', objects.add(writeInfo(info, facts)));
  await rewrite(pdf, outputPath, objects.changes(), { ...run, trailer: renewed, version: VERSION });
  return ARCHIVE_REMOVALS.filter((each) => removed.has(each));
}

/** Checks a file and changes what must change. @throws EngineError NOT_ARCHIVABLE */
async function prepare(pdf: PdfDocument, run: Run): Promise<ArchivePass> {
  const pass = createArchivePass(pdf);
  const { objects, obstacles } = pass;
  if (pdf.encryption !== undefined) obstacles.add('encryption');
  else {
    if (isSigned(pdf)) obstacles.add('signature');
    const cmyk = await profileNamed('cmyk');
    let profile: PdfRef | undefined;
    const colours = createColourChecker(pass, () => (profile ??= addProfile(objects, 'cmyk', cmyk)));
    const content = createContentChecker(pass, colours);
    const catalog = dictOf(pass, pdf.xref().trailer.get('Root'));
    if (catalog) checkCatalog(pass, catalog);
    await checkPages(pass, content, run);
    if (content.overprints() && (profile !== undefined || colours.usesIccCmyk())) obstacles.add('overprint');
    checkFonts(pass);
    await checkStoredObjects(pass, run);
  }
  const sentences = obstacles.sentences();
  if (sentences.length > 0)
    throw new EngineError('NOT_ARCHIVABLE', { detail: `The PDF cannot become PDF/A-2b. ${sentences.join(' ')}` });
  return pass;
}

async function checkPages(pass: ArchivePass, content: ContentChecker, run: Run): Promise<void> {
  const { pdf, objects } = pass;
  let number = 0;
  for (const page of walkPages(pdf)) {
    pass.page = number += 1;
    await yieldToEvents(run);
    const dict = page.number > 0 ? objects.get(page.number) : null;
    if (!isDict(dict) || !isRef(dict.get('Parent'))) {
      addObstacle(pass, 'structure');
      continue;
    }
    dropKeys(pass, dict, ['AA', 'PresSteps']);
    checkSides(pass, dict);
    const resources = resourcesOf(pass, dict);
    if (dictOf(pass, dict.get('Resources')) === undefined) objects.edit(dict).set('Resources', resources);
    content.checkGroup(dict);
    content.checkPage(decodeContent(pdf, contentsOfPage(pdf, page)), resources);
    checkAnnotations(pass, content, dict);
  }
  pass.page = undefined;
}

/** Returns the resources of a page, which it may inherit. */
function resourcesOf(pass: ArchivePass, page: PdfDict): PdfDict {
  const seen = new Set<PdfDict>();
  for (
    let node: PdfDict | undefined = page;
    node !== undefined && !seen.has(node);
    node = dictOf(pass, node.get('Parent'))
  ) {
    seen.add(node);
    const found = dictOf(pass, node.get('Resources'));
    if (found) return found;
  }
  return new Map();
}

function checkSides(pass: ArchivePass, page: PdfDict): void {
  for (const key of ['MediaBox', 'CropBox', 'BleedBox', 'TrimBox', 'ArtBox']) {
    const [x0, y0, x1, y1] = numbers(pass.pdf, page.get(key));
    if (y1 === undefined) continue;
    const sides = [Math.abs(x1! - x0!), Math.abs(y1 - y0!)];
    if (sides.some((side) => side < SIDES.least || side > SIDES.most)) addObstacle(pass, 'limits');
  }
}
