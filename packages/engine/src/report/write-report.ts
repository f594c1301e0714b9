import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument, type PDFImage } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import type { PictureIndex, ReportContent } from '@burnish/contract/engine';
import { decoderFailure } from '../image/codecs/sharp.ts';
import { createSheet, TEXT_WIDTH, type Sheet } from './sheet.ts';

export interface WriteReportInput {
  content: ReportContent;
  picturesDir: string;
  outputPath: string;
}

/** Longest side of a picture in a report, pixels: 200 to 300 DPI in the boxes below. */
const MAX_SIDE = 1200;
const NAME_WIDTH = 130;
const GAP = 12;
/** Width of each of two pictures beside each other, and maximum heights, points */
const COLUMN = (TEXT_WIDTH - GAP) / 2;
const IMAGE_HEIGHT = 190;
const PAGE_HEIGHT = 640;

/** Lays out a report. @throws EngineError CORRUPT_FILE for a picture that cannot be read */
export async function writeReport({ content, picturesDir, outputPath }: WriteReportInput): Promise<void> {
  const document = await PDFDocument.create();
  const title = `${content.title}: ${content.subtitle}`;
  const sheet = await createSheet(document, title, content.madeAt, JSON.stringify(content));
  const load = (index: PictureIndex): Promise<PDFImage> => embed(document, join(picturesDir, String(index)));
  sheet.text(content.title, { size: 20, bold: true });
  sheet.text(content.subtitle, { size: 12, soft: true });
  sheet.skip(8);
  for (const { heading, rows } of content.sections) writeSection(sheet, heading, rows);
  if (content.notes !== null) {
    writeHeading(sheet, content.notes.heading);
    for (const text of content.notes.texts) sheet.text(`• ${text}`, { size: 9.5 });
  }
  if (content.images !== null) await writeImages(sheet, content.images, load);
  await writePages(sheet, content.pages, load);
  await writeFile(outputPath, await sheet.finish(content.foot));
}

function writeHeading(sheet: Sheet, heading: string): void {
  sheet.need(60);
  sheet.skip(12);
  sheet.text(heading, { size: 12.5, bold: true });
  sheet.skip(5);
  sheet.rule();
  sheet.skip(3);
}

function writeSection(sheet: Sheet, heading: string, rows: ReportContent['sections'][number]['rows']): void {
  writeHeading(sheet, heading);
  for (const [name, value] of rows) {
    const style = { size: 9.5, indent: NAME_WIDTH, width: TEXT_WIDTH - NAME_WIDTH };
    sheet.need(14);
    const top = sheet.y;
    const height = sheet.lines([name], top, { size: 9.5, soft: true, width: NAME_WIDTH - GAP });
    sheet.text(value, style);
    // The value may have continued on the next page.
    if (sheet.y <= top) sheet.skip(Math.max(0, height - (top - sheet.y)));
  }
}

async function writeImages(
  sheet: Sheet,
  { heading, note, rows }: NonNullable<ReportContent['images']>,
  load: (index: PictureIndex) => Promise<PDFImage>,
): Promise<void> {
  writeHeading(sheet, heading);
  if (note !== null) sheet.text(note, { size: 9.5, soft: true });
  for (const { title, before, after, lines } of rows) {
    const shown = await Promise.all(
      [before, ...(after === null ? [] : [after])].map(async ({ picture, caption }) => ({
        image: picture === null ? null : await load(picture),
        caption,
      })),
    );
    const height = Math.max(
      0,
      ...shown.map(({ image }) => (image === null ? 0 : fitHeight(image, COLUMN, IMAGE_HEIGHT))),
    );
    sheet.need(height + 90);
    sheet.skip(GAP);
    if (title !== '') sheet.text(title, { size: 10, bold: true });
    sheet.skip(5);
    const top = sheet.y;
    const bottoms = shown.map(({ image, caption }, column) => {
      const x = column * (COLUMN + GAP);
      if (image !== null) sheet.picture(image, { x, top, width: COLUMN, height: IMAGE_HEIGHT });
      return height + 3 + sheet.lines([caption], top - height - 3, { size: 9, soft: true, indent: x, width: COLUMN });
    });
    // The text of a single picture stands beside it, that of two below them.
    if (shown.length === 1 && height > 0) {
      bottoms.push(sheet.lines(lines, top, { size: 9.5, indent: COLUMN + GAP, width: COLUMN }));
      sheet.skip(Math.max(...bottoms));
    } else {
      sheet.skip(Math.max(...bottoms));
      for (const line of lines) sheet.text(line, { size: 9.5 });
    }
  }
}

async function writePages(
  sheet: Sheet,
  pages: ReportContent['pages'],
  load: (index: PictureIndex) => Promise<PDFImage>,
): Promise<void> {
  for (const { heading, before, after, outlines } of pages) {
    const pair = await Promise.all([before, after].filter((index) => index !== null).map(load));
    if (pair.length === 0) continue;
    const column = pair.length === 1 ? TEXT_WIDTH : COLUMN;
    const height = Math.max(...pair.map((image) => fitHeight(image, column, PAGE_HEIGHT)));
    sheet.need(height + 60);
    writeHeading(sheet, heading);
    sheet.skip(6);
    const top = sheet.y;
    for (const [index, image] of pair.entries()) {
      const box = sheet.picture(image, { x: index * (COLUMN + GAP), top, width: column, height: PAGE_HEIGHT });
      for (const area of outlines) {
        const x = box.x + area.left * box.width;
        const y = box.y + (1 - area.top - area.height) * box.height;
        sheet.outline({ x, y, width: area.width * box.width, height: area.height * box.height });
      }
    }
    sheet.skip(height + 6);
  }
}

const fitHeight = ({ width, height }: PDFImage, column: number, most: number): number =>
  Math.min(most, (column * height) / width);

async function embed(document: PDFDocument, path: string): Promise<PDFImage> {
  const picture = await readFile(path);
  const jpeg = await sharp(picture)
    .resize(MAX_SIDE, MAX_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .jpeg({ quality: 82 })
    .toBuffer()
    .catch((error: unknown) => {
      throw decoderFailure(error);
    });
  return document.embedJpg(jpeg);
}
