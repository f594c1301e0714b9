import { Failure } from '../../domain/failures.ts';
import { createContentWalker } from './content-walker.ts';
import { allowsColor, reasonToLeave, type LeftAloneReason } from './eligibility.ts';
import { FACTS_FORMAT, type EligibleImage, type PdfFacts } from './facts.ts';
import { createFoundImages, type FoundImage } from './found-images.ts';
import { readImageFacts } from './image-facts.ts';
import { maxPixelsOf, maxSideOf } from './image-encoder.ts';
import { assertWithin } from './limits.ts';
import type { ObjectStore } from './object-store.ts';
import { isStream } from './objects.ts';
import { drawsOfPage } from './page-draws.ts';
import { pagesOf } from './page-tree.ts';
import { breathe, type Run } from './run.ts';
import { isSigned } from './signature.ts';
import { judgeImage } from './thumbnail.ts';

/** The structure of a PDF: its pages and the images that they draw. Decodes no image. @throws Failure of a limit; CORRUPT_FILE when there is no page */
export async function inspectStructure(
  store: ObjectStore,
  run: Run,
): Promise<{ pages: number; found: FoundImage[]; inline: number; glyphs: number; masks: ReadonlySet<unknown> }> {
  const walker = createContentWalker(store);
  const images = createFoundImages(store);
  let pages = 0;
  for (const page of pagesOf(store)) {
    images.add(drawsOfPage(store, walker, page));
    pages += 1;
    if (pages % 16 === 0) await breathe(run);
  }
  if (pages === 0) throw new Failure('CORRUPT_FILE', { detail: 'The PDF has no pages that can be found.' });
  const found = images.objects();
  const drawn = new Set<unknown>(found.map(({ number }) => number));
  const glyphs = [...walker.glyphImages()].filter((image) => !drawn.has(image)).length;
  const masks = new Set<unknown>([...walker.maskImages(), ...found.flatMap(({ number }) => softMaskOf(store, number))]);
  return { pages, found, inline: images.inlineCount(), glyphs, masks };
}

/** Everything that parameters are then applied to: the structure, and what a thumbnail of each image says. */
export async function inspectPdf(store: ObjectStore, run: Run): Promise<PdfFacts> {
  const { pages, found, inline, glyphs, masks } = await inspectStructure(store, run);
  const eligible: EligibleImage[] = [];
  let pixels = 0;
  const left = new Map<LeftAloneReason, number>();
  const leave = (reason: LeftAloneReason, count = 1): void => void left.set(reason, (left.get(reason) ?? 0) + count);
  if (inline > 0) leave('inline', inline);
  // Text, and so no part of the number of images.
  if (glyphs > 0) leave('glyph', glyphs);

  for (const [done, image] of found.entries()) {
    const judged = await inspectImage(store, image, (count) => assertWithin('sourcePixels', (pixels += count)));
    if (typeof judged === 'string') leave(judged);
    else eligible.push({ ...judged, color: judged.color && !masks.has(image.number) });
    await breathe(run, { step: 'analyze', fraction: (done + 1) / found.length });
  }
  return {
    format: FACTS_FORMAT,
    fileBytes: store.source.size + store.base,
    pages,
    images: found.length + inline,
    eligible,
    leftAlone: [...left].map(([reason, count]) => ({ reason, count })),
    signed: isSigned(store),
    rebuilt: store.xref().rebuilt,
  };
}

/** The object number of an image's soft mask, if it has one. */
function softMaskOf(store: ObjectStore, number: number): number[] {
  const image = store.get(number);
  const mask = isStream(image) ? store.resolve(image.dict.get('SMask')) : null;
  return isStream(mask) ? [mask.number] : [];
}

async function inspectImage(
  store: ObjectStore,
  { number, resolution }: FoundImage,
  spend: (pixels: number) => void,
): Promise<EligibleImage | LeftAloneReason> {
  const facts = readImageFacts(store, number);
  if (facts === undefined) return 'damaged';
  const reason = reasonToLeave(facts);
  if (reason) return reason;
  spend(facts.width * facts.height);
  const judged = await judgeImage(store, facts);
  if (typeof judged === 'string') return judged;
  return {
    number,
    width: facts.width,
    height: facts.height,
    resolution: Number.isFinite(resolution) ? Math.round(resolution * 1000) / 1000 : null,
    color: judged.photographic && allowsColor(facts),
    maxSide: maxSideOf(facts),
    maxPixels: maxPixelsOf(facts),
  };
}
