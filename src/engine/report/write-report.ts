import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument, type PDFImage } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import type { PictureIndex, ReportContent } from '../../domain/report.ts';
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
const THUMBNAIL = { width: 118, height: 92 };
const GAP = 12;
const PAGE_PICTURE = { width: TEXT_WIDTH, height: 640 };

/** Lays out a report. @throws Failure CORRUPT_FILE for a picture that cannot be read */
export async function writeReport({ content, picturesDir, outputPath }: WriteReportInput): Promise<void> {
  const document = await PDFDocument.create();
  const title = `${content.title}: ${content.subtitle}`;
  const sheet = await createSheet(document, title, content.madeAt, JSON.stringify(content));
  const load = (index: PictureIndex): Promise<PDFImage> => embed(document, join(picturesDir, String(index)));
  sheet.text(content.title, { size: 20, bold: true });
  sheet.text(content.subtitle, { size: 12, soft: true });
  sheet.skip(8);
  for (const { heading, rows } of content.sections) writeSection(sheet, heading, rows);
  if (content.notes.length > 0) {
    writeHeading(sheet, 'Notes of the engine');
    for (const note of content.notes) sheet.text(`• ${note}`, { size: 9.5 });
  }
  if (content.images !== null) await writeImages(sheet, content.images, load);
  for (const { heading, picture, outlines } of content.pages) {
    const image = await load(picture);
    sheet.need(PAGE_PICTURE.height + 60);
    writeHeading(sheet, heading);
    const box = sheet.picture(image, { x: 0, top: sheet.y - 6, ...PAGE_PICTURE });
    for (const { left, top, width, height } of outlines) {
      const x = box.x + left * box.width;
      const y = box.y + (1 - top - height) * box.height;
      sheet.outline({ x, y, width: width * box.width, height: height * box.height });
    }
    sheet.skip(box.height + 12);
  }
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
    sheet.lines([name], sheet.y, { size: 9.5, soft: true, width: NAME_WIDTH - GAP });
    sheet.text(value, style);
  }
}

async function writeImages(
  sheet: Sheet,
  { heading, note, rows }: NonNullable<ReportContent['images']>,
  load: (index: PictureIndex) => Promise<PDFImage>,
): Promise<void> {
  writeHeading(sheet, heading);
  if (note !== null) sheet.text(note, { size: 9.5, soft: true });
  const indent = 2 * (THUMBNAIL.width + GAP);
  for (const { lines, before, after } of rows) {
    sheet.need(THUMBNAIL.height + GAP);
    sheet.skip(GAP);
    const top = sheet.y;
    for (const [column, index] of [before, after].entries()) {
      if (index === null) continue;
      const x = column * (THUMBNAIL.width + GAP);
      sheet.picture(await load(index), { x, top, ...THUMBNAIL });
    }
    const [first = '', ...others] = lines;
    const style = { size: 9, indent, width: TEXT_WIDTH - indent };
    const titled = sheet.lines([first], top, { ...style, bold: true });
    const height = titled + sheet.lines(others, top - titled, style);
    sheet.skip(Math.max(THUMBNAIL.height, height));
  }
}

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
