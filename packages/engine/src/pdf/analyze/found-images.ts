import type { Draw } from '../pages/draw-list.ts';
import type { InlineImage } from '../images/inline-image.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { assertWorkWithin } from '../work-limits.ts';
import { createDocumentGroups, groupNeighbours, type PictureGroup, type PlacedImage } from '../pages/neighbours.ts';
import type { PdfDocument } from '@burnish/pdf';
import { createPartKinds } from '../pages/part-kind.ts';

export interface FoundImage {
  number: number;
  /** The lowest resolution of any draw along any side, pixels per inch; an enhancement raises it to the target */
  resolution: number;
  /**
   * Resolution of the same draws for one pixel per side; the resolution of a mask is this value times the mask's size
   */
  unit: { x: number; y: number };
  /** All draws of the image are in layers that are off */
  hidden: boolean;
  /** Largest share of a page that one draw covers */
  pageShare: number;
  /** Numbers of the pages that draw it, from 1, in order */
  drawnOn: number[];
}

export interface FoundImages {
  /**
   * Adds the draws of the next page.
   * @param isMask whether an image is drawn as a mask, to define the opacity of other content
   * @param frame the visible page, points
   */
  add(draws: readonly Draw[], isMask: (image: Draw['image']) => boolean, frame: Size): void;
  objects(): FoundImage[];
  groups(): PictureGroup[];
  /** Number of inline images, which are not objects */
  inlineCount(): number;
}

type Size = Pick<ImageFacts, 'width' | 'height'>;

export function createFoundImages(pdf: PdfDocument): FoundImages {
  const found = new Map<number, FoundImage>();
  const sizes = new Map<number, Size | undefined>();
  const inline = new Set<InlineImage>();
  const groups = createDocumentGroups();
  const findPartKind = createPartKinds(pdf);
  let page = 0;

  function readSize(number: number): Size | undefined {
    if (!sizes.has(number)) {
      const facts = readImageFacts(pdf, number);
      sizes.set(number, facts && { width: facts.width, height: facts.height });
      assertWorkWithin('images', sizes.size);
    }
    return sizes.get(number);
  }

  function addDraw(image: number, { matrix: [a, b, c, d], hidden }: Draw, frame: Size): void {
    const size = readSize(image);
    if (size === undefined) return;
    const before = found.get(image);
    const drawnOn = before?.drawnOn ?? [];
    if (drawnOn.at(-1) !== page) drawnOn.push(page);
    const unit = {
      x: Math.min(before?.unit.x ?? Infinity, 72 / Math.hypot(a, b)),
      y: Math.min(before?.unit.y ?? Infinity, 72 / Math.hypot(c, d)),
    };
    found.set(image, {
      number: image,
      unit,
      resolution: lowestResolution(size, unit),
      hidden: hidden && (before?.hidden ?? true),
      pageShare: Math.max(before?.pageShare ?? 0, Math.abs(a * d - b * c) / (frame.width * frame.height)),
      drawnOn,
    });
  }

  /** Returns the candidates for parts of a picture: images drawn exactly once on the page, if there are at least two. */
  function listPlaced(drawn: ReadonlyMap<number, Draw[]>, isMask: (image: number) => boolean): PlacedImage[] {
    const single = [...drawn].flatMap(([number, [draw, another]]) => {
      const size = readSize(number);
      if (size === undefined || draw === undefined || another !== undefined) return [];
      return draw.scattered || draw.inPattern ? [] : [{ number, ...size, draw }];
    });
    if (single.length < 2) return [];
    return single.flatMap(({ number, width, height, draw: { matrix, hidden } }) => {
      const kind = findPartKind(number);
      return kind === undefined ? [] : [{ number, width, height, matrix, kind: `${kind} ${hidden} ${isMask(number)}` }];
    });
  }

  return {
    add(draws, isMask, frame) {
      page += 1;
      const numbers = new Map<number, Draw[]>();
      for (const draw of draws) {
        if (typeof draw.image !== 'number') {
          inline.add(draw.image);
          assertWorkWithin('images', inline.size);
          continue;
        }
        addDraw(draw.image, draw, frame);
        const same = numbers.get(draw.image);
        if (same) same.push(draw);
        else numbers.set(draw.image, [draw]);
      }
      groups.addPage(groupNeighbours(listPlaced(numbers, isMask)), numbers.keys());
    },
    objects: () => [...found.values()].sort((a, b) => a.number - b.number),
    groups: () => groups.agreed(),
    inlineCount: () => inline.size,
  };
}

/** Returns the lower of the two resolutions of the sides, pixels per inch; Infinity when no draw has an extent. */
export function lowestResolution(
  { width, height }: { width: number; height: number },
  unit: FoundImage['unit'],
): number {
  return Math.min(width * unit.x, height * unit.y);
}
