import type { Picture } from '../../image/picture.ts';
import { openPicture } from '../../image/preview.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import { readImageFacts } from '../images/image-facts.ts';
import { shownColours, withoutInversion } from '../images/shown-colours.ts';
import type { ScanOfPage } from '../turn/scan-of-page.ts';
import { findUprighting, uprightSize, type Uprighting } from '../turn/upright.ts';
import type { DrawnScan } from './page-words.ts';
import { findMarks } from './scan-marks.ts';
import type { PdfDocument } from '@burnish/pdf';

/** Above this resolution, letters are read no better, and it takes longer. */
const MOST_RESOLUTION = 400;
const MOST_PIXELS = 40_000_000;

/**
 * Draws a scan into a PNG for a program that reads text, and finds the marks of its ink.
 * @param picture samples of the scan in the colour space of its image, at any scale
 * @param direction quarter turns clockwise that its page needs; undefined where nothing shows them
 */
export async function drawScan(
  pdf: PdfDocument,
  scan: ScanOfPage,
  picture: Picture,
  { number, direction, path }: { number: number; direction: QuarterTurns | undefined; path: string },
): Promise<{ scan: DrawnScan; marks: string | undefined }> {
  const image = readImageFacts(pdf, number)!;
  const eight = picture.data instanceof Uint16Array ? { ...picture, data: toBytes(picture.data) } : picture;
  const shown = shownColours(withoutInversion(eight, image), image.color);
  const points = Math.hypot(scan.pixels[0], scan.pixels[1]) * scan.width * scan.page.userUnit;
  const given = (72 * picture.width) / points;
  const scale = Math.min(1, MOST_RESOLUTION / given, Math.sqrt(MOST_PIXELS / (picture.width * picture.height)));
  const [across, down] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ];
  const { mirrored, turns } = findUprighting(pdf, scan);
  const uprighting: Uprighting = { mirrored, turns: ((turns + (direction ?? 0)) % 4) as QuarterTurns };
  // Each step of its own: sharp turns before it mirrors, wherever the calls stand.
  const upright = openPicture(shown).resize(across, down, { fit: 'fill' }).flop(uprighting.mirrored);
  const { data, info } = await upright.toColourspace('b-w').removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const grey: Picture = {
    data,
    width: info.width,
    height: info.height,
    channels: info.channels,
    space: 'grey',
    hasAlpha: false,
  };
  await openPicture(grey)
    .rotate(90 * uprighting.turns)
    .png({ compressionLevel: 1 })
    .toFile(path);
  const [width, height] = uprightSize(uprighting, across, down);
  const resolution = Math.max(1, Math.round(given * scale));
  const marks = await findMarks(grey, { resolution, turns: uprighting.turns });
  return { scan: { width, height, resolution, upright: direction !== undefined }, marks };
}

const toBytes = (data: Uint16Array): Uint8Array => Uint8Array.from(data, (sample) => sample >> 8);
