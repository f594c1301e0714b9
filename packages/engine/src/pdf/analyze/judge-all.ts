import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { LeftAloneReason } from '@burnish/contract/engine';
import { allowsColor, isBilevel, reasonOfKind, reasonOfSize, reasonToLeave } from './eligibility.ts';
import type { BilevelPicture, EligibleImage, MaskLayer } from './facts.ts';
import { lowestResolution, type FoundImage } from './found-images.ts';
import { maxPixelsFor, maxSideFor } from '../images/image-encoder.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { readMaskFacts } from '../images/mask.ts';
import { judgePicture, type JudgedPart, type Judgement } from './judge-picture.ts';
import { assertWorkWithin } from '../work-limits.ts';
import { computeExtent, type PictureGroup } from '../pages/neighbours.ts';
import { isRef, type PdfDocument } from '@burnish/pdf';
import { yieldToEvents, type Run } from '../run.ts';

/** Pictures judged at once: the decoding of JPEG runs outside this thread. */
const AT_ONCE = Math.min(2, availableParallelism());
/**
 * From this number of pixels, an image of another coding is judged alone, because all its samples are in memory at
 * once.
 */
const LARGE_PIXELS = 10_000_000;

/** An image that covers this share of a page is the page, as a scanner makes it. */
const PAGE_SHARE = 0.7;

type Judged = EligibleImage | BilevelPicture | LeftAloneReason;

/** Judges every picture once. Strips and tiles count as one picture, and so do equal images. */
export async function judgeAll(
  pdf: PdfDocument,
  found: readonly FoundImage[],
  groups: readonly PictureGroup[],
  run: Run,
): Promise<Judged[]> {
  const byNumber = new Map(found.map((image) => [image.number, image]));
  const grouped = new Map(groups.flatMap((group) => group.parts.map(({ number }) => [number, group] as const)));
  const pictures = [...groups, ...found.filter(({ number }) => !grouped.has(number))];
  const judge = createJudge(pdf, found);
  const judged: Judged[][] = [];
  let [next, done] = [0, 0];
  let failure: { error: unknown } | undefined;

  async function work(slot: number): Promise<void> {
    for (let index = next++; index < pictures.length && !failure; index = next++) {
      const picture = pictures[index]!;
      if ('parts' in picture) {
        const images = picture.parts.map(({ number }) => byNumber.get(number)!);
        const whole = await judge.group(picture, images, slot);
        judged[index] = whole ? [whole] : [];
        if (!whole) for (const image of images) judged[index]!.push(await judge.image(image, slot));
      } else judged[index] = [await judge.image(picture, slot)];
      done += 1;
      await yieldToEvents(run, { step: 'analyze', fraction: done / pictures.length });
    }
  }
  // The caller closes the document, so no read may still be pending when this function returns.
  await Promise.all(
    Array.from({ length: AT_ONCE }, (_, slot) =>
      work(slot).catch((error: unknown) => {
        failure ??= { error };
      }),
    ),
  );
  if (failure) throw failure.error;
  return judged.flat();
}

function createJudge(pdf: PdfDocument, found: readonly FoundImage[]) {
  const isRepeated = repeatedLengths(pdf, found);
  const known = new Map<string, Promise<Judgement | 'damaged'>>();
  let large: Promise<unknown> = Promise.resolve();
  let pixels = 0;
  const spend = ({ width, height }: { width: number; height: number }): void =>
    assertWorkWithin('sourcePixels', (pixels += width * height));

  function judge(parts: readonly JudgedPart[], slot: number): Promise<Judgement | 'damaged'> {
    if (parts.every(({ image }) => image.jpeg || image.width * image.height < LARGE_PIXELS))
      return judgePicture(pdf, parts, slot);
    const after = large.then(() => judgePicture(pdf, parts, slot));
    large = after.catch(() => undefined);
    return after;
  }

  /** Programs that join PDFs store an image repeatedly as separate objects: equal bytes give the same judgement. */
  function judgeOnce(part: JudgedPart, slot: number): Promise<Judgement | 'damaged'> {
    const { stream, ...facts } = part.image;
    if (!isRepeated(part.number)) return judge([part], slot);
    const masks = [stream.dict.get('SMask'), stream.dict.get('Mask')].map((mask) => (isRef(mask) ? mask.number : 0));
    const data = createHash('sha256').update(pdf.rawData(stream)).digest('hex');
    const key = JSON.stringify([facts, pdf.filters(stream).map(({ filter }) => filter), masks, data]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const judgement = judge([part], slot);
    known.set(key, judgement);
    return judgement;
  }

  const storedBytes = (image: ImageFacts | undefined): number => (image ? pdf.rawLength(image.stream) : 0);

  /** @param images images of the picture; the first represents all */
  function toEligible(
    size: Pick<EligibleImage, 'number' | 'width' | 'height'>,
    images: readonly ImageFacts[],
    { kind, flat, blocks, mask, invisible }: Judgement,
    { resolution, unit, hidden, pageShare, drawnOn }: FoundImage,
  ): Judged {
    if (invisible) return 'invisible';
    const isTiny = reasonOfSize(size) === 'tiny';
    const fixed = flat || blocks || isTiny;
    const image = images[0]!;
    const layer: MaskLayer | undefined = mask && {
      ...mask,
      resolution: rounded(lowestResolution(mask, unit)),
      bytes: sum(images, (each) => storedBytes(readMaskFacts(pdf, each)?.image)),
    };
    if (fixed && (layer === undefined || layer.flat || reasonOfSize(layer))) {
      if (isTiny) return 'tiny';
      return flat ? 'single-color' : 'blocks';
    }
    return {
      ...size,
      resolution: rounded(resolution),
      color: !fixed && allowsColor(image),
      shows: kind,
      ...(pageShare >= PAGE_SHARE && { page: true }),
      drawnOn,
      coding: toCoding(image),
      bytes: sum(images, storedBytes),
      maxSide: maxSideFor(image),
      maxPixels: maxPixelsFor(image),
      ...(layer && { mask: layer }),
      ...(fixed && { fixed }),
      ...(hidden && { hidden }),
    };
  }

  async function judgedWhole(
    parts: readonly JudgedPart[],
    slot: number,
    use: (judgement: Judgement) => Judged,
  ): Promise<Judged | undefined> {
    const { width, height } = computeExtent(parts);
    spend({ width, height });
    const judgement = await judge(parts, slot);
    return judgement === 'damaged' ? undefined : use(judgement);
  }

  function toBilevel(
    size: Pick<BilevelPicture, 'number' | 'width' | 'height'>,
    image: ImageFacts,
    { hidden, pageShare, drawnOn }: FoundImage,
  ): Judged {
    const reason = reasonOfKind(image)!;
    if (reasonOfSize(size) !== undefined) return reason;
    return {
      ...size,
      reason,
      ...(pageShare >= PAGE_SHARE && { page: true }),
      drawnOn,
      ...(hidden && { hidden }),
    };
  }

  return {
    async image(found: FoundImage, slot: number): Promise<Judged> {
      const { number } = found;
      const image = readImageFacts(pdf, number);
      if (image === undefined) return 'damaged';
      const reason = reasonOfKind(image);
      const { width, height } = image;
      if (reason) return isBilevel(image) ? toBilevel({ number, width, height }, image, found) : reason;
      const tooLarge = reasonToLeave(image);
      if (tooLarge === 'too-large' || (tooLarge && image.mask !== 'image')) return tooLarge;
      spend(image);
      const judgement = await judgeOnce({ number, x: 0, y: 0, width, height, image }, slot);
      return judgement === 'damaged' ? judgement : toEligible({ number, width, height }, [image], judgement, found);
    },

    /** @returns undefined when the parts are better judged one by one */
    async group(
      { width, height, parts }: PictureGroup,
      images: FoundImage[],
      slot: number,
    ): Promise<Judged | undefined> {
      if (reasonOfSize({ width, height }) !== undefined) return undefined;
      const judgedParts = parts.flatMap((part) => {
        const image = readImageFacts(pdf, part.number);
        return image ? [{ ...part, image }] : [];
      });
      if (judgedParts.length < parts.length) return undefined;
      const largest = judgedParts.reduce((one, two) => (one.width * one.height < two.width * two.height ? two : one));
      const { unit } = images.find(({ number }) => number === largest.number)!;
      const whole: FoundImage = {
        number: parts[0]!.number,
        // The whole has the resolution of its largest part: its drawn size grows with its pixels.
        unit: { x: (unit.x * largest.width) / width, y: (unit.y * largest.height) / height },
        resolution: lowestResolution(largest, unit),
        hidden: images.every(({ hidden }) => hidden),
        pageShare: images.reduce((share, image) => share + image.pageShare, 0),
        drawnOn: [...new Set(images.flatMap((image) => image.drawnOn))],
      };
      const stored = [largest, ...judgedParts.filter((part) => part !== largest)].map(({ image }) => image);
      const size = { number: whole.number, width, height };
      const picture = isBilevel(largest.image)
        ? toBilevel(size, largest.image, whole)
        : await judgedWhole(judgedParts, slot, (judgement) => toEligible(size, stored, judgement, whole));
      return typeof picture === 'object' ? { ...picture, parts } : picture;
    },
  };
}

const sum = (images: readonly ImageFacts[], countBytes: (image: ImageFacts) => number): number =>
  images.reduce((bytes, image) => bytes + countBytes(image), 0);

function toCoding({ encoding, color }: ImageFacts): EligibleImage['coding'] {
  if (encoding === 'DCTDecode') return 'jpeg';
  return encoding === 'JPXDecode' && color.family !== 'indexed' ? 'jpx' : 'lossless';
}

const rounded = (resolution: number): number | null =>
  Number.isFinite(resolution) ? Math.round(resolution * 1000) / 1000 : null;

/** Returns whether another image has data of the same length: only then can the two be equal. */
function repeatedLengths(pdf: PdfDocument, found: readonly FoundImage[]): (number: number) => boolean {
  const lengths = new Map<number, number>();
  const counts = new Map<number, number>();
  for (const { number } of found) {
    const image = readImageFacts(pdf, number);
    if (image === undefined) continue;
    const length = pdf.rawLength(image.stream);
    lengths.set(number, length);
    counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  return (number) => (counts.get(lengths.get(number) ?? -1) ?? 0) > 1;
}
