import sharp from 'sharp';
import { cleanPage } from '../../packages/engine/src/image/document/clean-page.ts';
import type { Picture } from '../../packages/engine/src/image/picture.ts';
import { noteInWords } from '../../src/domain/notes/note-in-words.ts';
import { readSourcePages } from './source-pages.ts';

/** Degrees by which pages are turned, clockwise, one for each page in turn. */
const SKEWS = [-14, 9, -6, 12, 3, -11] as const;
/** A page within it is straight, and a right page beyond it is harmed; degrees. */
const STRAIGHT = 0.3;

/**
 * Turns the pages of PDFs and pictures by known angles, as they may lie on a scanner, and prints how many are straight again, and how
 * many right pages turn. Pages that are skewed by themselves count as harmed.
 */
export async function measureSkewedPages(folder: string, every: number): Promise<void> {
  const right = { pages: 0, turned: 0, cpu: 0 };
  const skewed = { pages: 0, straight: 0, noted: 0, wrong: 0 };
  for await (const { name, picture } of readSourcePages(folder, every)) {
    const skew = SKEWS[right.pages % SKEWS.length]!;
    const start = process.cpuUsage();
    const upright = cleanPage({ ...picture, data: Uint8Array.from(picture.data) });
    right.cpu += process.cpuUsage(start).user / 1e6;
    right.pages += 1;
    if (Math.abs(upright.turn ?? 0) > STRAIGHT) right.turned += 1;
    const result = cleanPage(await skewedBy(picture, skew));
    skewed.pages += 1;
    const left = skew - (result.turn ?? 0);
    if (Math.abs(left) <= STRAIGHT) skewed.straight += 1;
    else if (result.skewed !== undefined) skewed.noted += 1;
    else if (result.turn !== undefined) skewed.wrong += 1;
    const notes = result.notes.map(noteInWords).join(' ');
    console.log(
      `${name}: ${upright.turn?.toFixed(2) ?? 'stays'}; skewed by ${skew}°, ${left.toFixed(2)}° left. ${notes}`,
    );
  }
  console.log(
    `${right.turned} of ${right.pages} right pages turned, ${(right.cpu / right.pages).toFixed(2)} CPU-s a page; ` +
      `${skewed.straight} of ${skewed.pages} skewed pages straight, ${skewed.noted} noted as skewed, ${skewed.wrong} turned wrong.`,
  );
}

/** Turns a page about its centre, with white around it. Its size stays. */
async function skewedBy({ data, width, height }: Picture, degrees: number): Promise<Picture> {
  const turned = await sharp(Uint8Array.from(data), { raw: { width, height, channels: 1 } })
    .rotate(degrees, { background: '#fff' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const cut = await sharp(turned.data, {
    raw: { width: turned.info.width, height: turned.info.height, channels: 1 },
  })
    .extract({ left: (turned.info.width - width) >> 1, top: (turned.info.height - height) >> 1, width, height })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return { data: Uint8Array.from(cut), width, height, channels: 1, space: 'grey', hasAlpha: false };
}
