import { EngineError, type LeftAloneReason, FACTS_FORMAT } from '@burnish/contract/engine';
import { createContentWalker } from '../pages/content-walker.ts';
import { findBlankPages } from './blank-pages.ts';
import type { BilevelPicture, EligibleImage, PdfFacts } from './facts.ts';
import { createFoundImages, type FoundImage } from './found-images.ts';
import { judgeAll } from './judge-all.ts';
import type { PictureGroup } from '../pages/neighbours.ts';
import { isSigned, isStream, pageFrame, walkPages, type PdfDocument } from '@burnish/pdf';
import { drawsOfPage } from '../pages/page-draws.ts';
import { yieldToEvents, type Run } from '../run.ts';

export interface PdfStructure {
  pages: number;
  found: FoundImage[];
  groups: PictureGroup[];
  inline: number;
  glyphs: number;
  /** Images that define the opacity of other content */
  masks: ReadonlySet<unknown>;
}

/**
 * Finds the drawn images without decoding any.
 * @param without pages that do not count, from 1
 * @throws EngineError of a limit; CORRUPT_FILE when there is no page
 */
export async function inspectStructure(
  pdf: PdfDocument,
  run: Run,
  without: ReadonlySet<number> = new Set(),
): Promise<PdfStructure> {
  const walker = createContentWalker(pdf);
  const images = createFoundImages(pdf);
  let [number, pages] = [0, 0];
  for (const page of walkPages(pdf)) {
    number += 1;
    if (without.has(number)) continue;
    images.add(drawsOfPage(pdf, walker, page), (image) => walker.maskImages().has(image), pageFrame(pdf, page));
    pages += 1;
    if (pages % 16 === 0) await yieldToEvents(run);
  }
  if (pages === 0) throw new EngineError('CORRUPT_FILE', { detail: 'The PDF has no readable pages.' });
  const found = images.objects();
  const drawn = new Set<unknown>(found.map(({ number }) => number));
  const glyphs = [...walker.glyphImages()].filter((image) => !drawn.has(image)).length;
  const masks = new Set<unknown>([...walker.maskImages(), ...found.flatMap(({ number }) => findSoftMask(pdf, number))]);
  return { pages, found, groups: images.groups(), inline: images.inlineCount(), glyphs, masks };
}

/** Inspects a PDF under its final cross-reference data: a rebuild at any moment invalidates all earlier results. */
export async function inspectPdf(pdf: PdfDocument, run: Run): Promise<PdfFacts> {
  for (;;) {
    const before = pdf.xref();
    const structure = await inspectStructure(pdf, run);
    const signed = isSigned(pdf);
    if (pdf.xref() !== before) continue;
    const facts = await judgeStructure(pdf, structure, signed, run);
    // A document rebuilds its data once.
    if (pdf.xref() === before) return facts;
  }
}

async function judgeStructure(
  pdf: PdfDocument,
  { pages, found, groups, inline, glyphs, masks }: PdfStructure,
  signed: boolean,
  run: Run,
): Promise<PdfFacts> {
  const judged = await judgeAll(pdf, found, groups, run);
  const eligible: EligibleImage[] = [];
  const bilevel: BilevelPicture[] = [];
  const left = new Map<LeftAloneReason, number>();
  const leave = (reason: LeftAloneReason, count = 1): void => void left.set(reason, (left.get(reason) ?? 0) + count);
  if (inline > 0) leave('inline', inline);
  if (glyphs > 0) leave('glyph', glyphs);
  for (const one of judged) {
    if (typeof one === 'string') leave(one);
    else if ('reason' in one) {
      bilevel.push(one);
      leave(one.reason, one.parts?.length);
    } else eligible.push({ ...one, color: one.color && !masks.has(one.number) });
  }
  const blank = await findBlankPages(pdf, found, run);
  return {
    format: FACTS_FORMAT,
    fileBytes: pdf.source.size + pdf.base,
    pages,
    images: found.length + inline,
    eligible: judgeScansTogether(eligible, bilevel).sort((one, two) => one.number - two.number),
    bilevel: bilevel.sort((one, two) => one.number - two.number),
    leftAlone: [...left].map(([reason, count]) => ({ reason, count })),
    ...(blank.length > 0 && { blank }),
    signed,
    rebuilt: pdf.xref().rebuilt,
  };
}

/**
 * Judges the pages of a scanned document together, so that no page gets another tone than the next one. Where at least
 * half of the images that fill a page are scans, all of them are.
 */
function judgeScansTogether(eligible: readonly EligibleImage[], bilevel: readonly BilevelPicture[]): EligibleImage[] {
  const pages = eligible.filter(({ page }) => page);
  const isScan = ({ shows }: EligibleImage): boolean => shows.kind === 'SCAN';
  const others = pages.filter((image) => !isScan(image)).length;
  const scans = pages.length - others + bilevel.filter(({ page }) => page).length;
  if (scans === 0 || scans < others) return [...eligible];
  return eligible.map((image) =>
    image.page && !isScan(image) ? { ...image, shows: { kind: 'SCAN', reason: 'document' } } : image,
  );
}

function findSoftMask(pdf: PdfDocument, number: number): number[] {
  const image = pdf.get(number);
  const mask = isStream(image) ? pdf.resolve(image.dict.get('SMask')) : null;
  return isStream(mask) ? [mask.number] : [];
}
