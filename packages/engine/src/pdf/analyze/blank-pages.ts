import { MAX_PAGE_CHOICES } from '@burnish/contract/engine';
import { isDict, isRef, SyntaxFault, walkPages, type Page, type PdfDocument } from '@burnish/pdf';
import { PAPER_BLOCK, paperOfBlocks } from '../../image/document/block-paper.ts';
import { findComponents } from '../../image/document/marks.ts';
import { openPicture } from '../../image/preview.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { shownColours, withoutInversion } from '../images/shown-colours.ts';
import { decodeContent } from '../pages/decode-content.ts';
import { paintedObjects } from '../pages/painted-objects.ts';
import { contentsOfPage } from '../pages/page-draws.ts';
import { yieldToEvents, type Run } from '../run.ts';
import type { FoundImage } from './found-images.ts';
import { createThumbnail } from './thumbnail.ts';

/** Longest content of a page that may be blank, bytes as stored. */
const MOST_CONTENT = 4_000;
/** Share of a page that its scan covers. */
const PAGE_SHARE = 0.7;
/**
 * Bytes a pixel of a blank scan: as a share of those that most scans of the file stay below, or by itself. Noise of paper needs the
 * first, and up to nine of ten scans may be blank.
 */
const DENSITY = { share: 0.75, most: 0.9, least: 0.03 } as const;
/** Side of the picture that is searched for marks, pixels: 90 an inch of a usual page. */
const SIDE = 1000;
/** Dust: the longest side of a speck, pixels, of about one millimetre, and the most specks. More are print in small dots. */
const DUST = { side: 4, count: 20 } as const;
/**
 * Shares of the light of the paper below which pixels are a mark: those of a sharp one, and, once smoothed, those of a pale stroke and
 * of one whose colour differs.
 */
const MARK = { sharp: 0.88, faint: 0.95, coloured: 0.9 } as const;
/** Pixels that smoothing adds to a speck. */
const SMOOTHED = 2;
/** Edge of the picture without meaning, share of a side: the shadow of a scanner. */
const EDGE = 0.015;
/** Blank paper: its least light, the share of it that all blocks have, and the most difference of its channels, of 255. */
const PAPER = { light: 150, even: 0.8, colour: 40 } as const;

/**
 * Finds the pages that show blank paper: those that paint nothing, and those that one scan without a mark fills. A page with
 * annotations, text or other content counts as one that is used, and so does a doubtful one.
 * @param found the images that pages draw
 * @returns the first `MAX_PAGE_CHOICES` of them
 */
export async function findBlankPages(pdf: PdfDocument, found: readonly FoundImage[], run: Run): Promise<number[]> {
  const images = new Map<number, FoundImage[]>();
  for (const image of found)
    for (const page of image.drawnOn) images.set(page, [...(images.get(page) ?? []), image].slice(0, 2));
  const mostDense = mostDensity(pdf, found);
  const known = new Map<number, boolean>();
  const blank: number[] = [];
  let number = 0;
  for (const page of walkPages(pdf)) {
    number += 1;
    if (number % 16 === 0) await yieldToEvents(run);
    const [image, another] = images.get(number) ?? [];
    if (another !== undefined || blank.length >= MAX_PAGE_CHOICES || !paintsNothingElse(pdf, page, image)) continue;
    if (image !== undefined && !known.has(image.number))
      known.set(image.number, await isBlankScan(pdf, image, mostDense));
    if (image === undefined || known.get(image.number) === true) blank.push(number);
  }
  return blank;
}

/** Bytes a pixel that a blank scan of a file has at most. */
function mostDensity(pdf: PdfDocument, found: readonly FoundImage[]): number {
  const densities = found
    .filter(({ pageShare }) => pageShare >= PAGE_SHARE)
    .flatMap(({ number }) => {
      const image = readImageFacts(pdf, number);
      return image === undefined ? [] : [densityOf(pdf, image)];
    })
    .sort((one, other) => one - other);
  return Math.max(DENSITY.least, DENSITY.share * (densities[Math.floor(DENSITY.most * densities.length)] ?? 0));
}

const densityOf = (pdf: PdfDocument, { stream, width, height }: ImageFacts): number =>
  pdf.rawLength(stream) / Math.max(1, width * height);

/** Whether the content of a page paints the image alone, or nothing without one. */
function paintsNothingElse(pdf: PdfDocument, page: Page, image: FoundImage | undefined): boolean {
  const annotations = pdf.resolve(page.dict.get('Annots'));
  if (Array.isArray(annotations) && annotations.length > 0) return false;
  const streams = contentsOfPage(pdf, page);
  if (streams.reduce((sum, stream) => sum + pdf.rawLength(stream), 0) > MOST_CONTENT) return false;
  try {
    const painted = paintedObjects(decodeContent(pdf, streams));
    if (painted === undefined || painted.hasHiddenText) return false;
    const objects = pdf.resolve(page.resources.get('XObject'));
    return painted.objects.every((each) => {
      const object = isDict(objects) ? objects.get(each) : undefined;
      return image !== undefined && isRef(object) && object.number === image.number;
    });
  } catch (error) {
    if (error instanceof SyntaxFault) return false;
    throw error;
  }
}

async function isBlankScan(
  pdf: PdfDocument,
  { number, pageShare, hidden }: FoundImage,
  mostDense: number,
): Promise<boolean> {
  const image = readImageFacts(pdf, number);
  if (image === undefined || hidden || pageShare < PAGE_SHARE || image.mask !== undefined) return false;
  if (densityOf(pdf, image) > mostDense) return false;
  try {
    const { thumbnail } = await createThumbnail(pdf, image, SIDE);
    const shown = openPicture(shownColours(withoutInversion(thumbnail, image), image.color));
    return await showsBlankPaper(shown);
  } catch (error) {
    if (error instanceof DamagedImage) return false;
    throw error;
  }
}

type Shown = ReturnType<typeof openPicture>;

/** Whether a picture shows even paper of one colour, with at most some dust. */
async function showsBlankPaper(picture: Shown): Promise<boolean> {
  const { data: colours, info: shape } = await picture
    .clone()
    .removeAlpha()
    .toColourspace('srgb')
    .resize(16, 16, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at < colours.length; at += shape.channels) {
    const channels = colours.subarray(at, at + Math.min(3, shape.channels));
    if (Math.max(...channels) - Math.min(...channels) > PAPER.colour) return false;
  }
  const sharp = await lightOf(picture);
  const lights = sharp.paper.toSorted();
  const light = lights[lights.length >> 1]!;
  const darkest = lights[Math.floor(0.02 * lights.length)]!;
  if (light < PAPER.light || darkest < PAPER.even * light) return false;
  if (!showsDustAlone(sharp, DUST.side, isDarker(sharp, MARK.sharp))) return false;
  const smoothed = picture.clone().blur();
  const isFaint = isDarker(await lightOf(smoothed), MARK.faint);
  const isColoured = (await planesOf(smoothed, 'srgb')).map((plane) => isDarker(plane, MARK.coloured));
  return showsDustAlone(sharp, DUST.side + SMOOTHED, (at) => isFaint(at) || isColoured.some((belongs) => belongs(at)));
}

/** Whether a pixel belongs to a mark. */
type Belongs = (at: number) => boolean;

/** A channel of a picture, with the light of its paper by block. */
interface Plane {
  width: number;
  height: number;
  data: Uint8Array;
  paper: Uint8Array;
}

const lightOf = async (picture: Shown): Promise<Plane> => (await planesOf(picture, 'b-w'))[0]!;

/** Returns the channels of a picture: its light, or red, green and blue. */
async function planesOf(picture: Shown, space: 'b-w' | 'srgb'): Promise<Plane[]> {
  const { data, info } = await picture
    .clone()
    .removeAlpha()
    .toColourspace(space)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return Array.from({ length: Math.min(space === 'b-w' ? 1 : 3, channels) }, (_, channel) => {
    const plane = Uint8Array.from({ length: width * height }, (_, at) => data[at * channels + channel]!);
    return { width, height, data: plane, paper: paperOfBlocks(plane, info) };
  });
}

function isDarker({ width, data, paper }: Plane, share: number): Belongs {
  const across = Math.ceil(width / PAPER_BLOCK);
  return (at) => {
    const block = Math.floor(at / width / PAPER_BLOCK) * across + Math.floor((at % width) / PAPER_BLOCK);
    return data[at]! < share * paper[block]!;
  };
}

/** Whether the marks off the edges are few specks. @param side longest side of a speck, pixels */
function showsDustAlone({ width, height }: Plane, side: number, belongs: Belongs): boolean {
  const [edgeX, edgeY] = [Math.ceil(EDGE * width), Math.ceil(EDGE * height)];
  const marks = findComponents(width, height, (at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return x >= edgeX && y >= edgeY && x < width - edgeX && y < height - edgeY && belongs(at);
  });
  const sides = Array.from({ length: marks.count }, (_, mark) => Math.max(marks.width[mark]!, marks.height[mark]!));
  return sides.length <= DUST.count && sides.every((each) => each <= side);
}
