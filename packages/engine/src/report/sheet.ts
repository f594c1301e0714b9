import { type PDFDocument, rgb, type PDFImage, type PDFPage } from '@cantoo/pdf-lib';
import { createTypeface, toCharacters } from './typeface.ts';

/** A4, points. */
const [WIDTH, HEIGHT] = [595.28, 841.89];
const MARGIN = 45;
export const TEXT_WIDTH = WIDTH - 2 * MARGIN;
const FOOT = 40;
/** Height of a line, in sizes of its font */
const LINE = 1.35;

const INK = rgb(0.12, 0.13, 0.16);
const SOFT = rgb(0.42, 0.44, 0.5);
const RULE = rgb(0.85, 0.86, 0.89);
const ACCENT = rgb(0.8, 0.29, 0.08);

export interface TextOptions {
  /** Points */
  size?: number;
  bold?: boolean;
  soft?: boolean;
  /** From the left margin, points */
  indent?: number;
  /** Points */
  width?: number;
}

/** Pages that are filled from top to bottom. Lengths are points; `y` is the distance from the lower edge. */
export interface Sheet {
  readonly y: number;
  /** Starts a new page unless this much space remains. */
  need(height: number): void;
  skip(height: number): void;
  rule(): void;
  text(text: string, options?: TextOptions): void;
  lines(lines: readonly string[], top: number, options?: TextOptions): number;
  picture(image: PDFImage, box: { x: number; top: number; width: number; height: number }): Box;
  outline(box: Box): void;
  finish(foot: string): Promise<Uint8Array>;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * @param madeAt ISO 8601: equal reports have equal bytes
 * @param characters a text with all characters that the sheet will show
 */
export async function createSheet(
  document: PDFDocument,
  title: string,
  madeAt: string,
  characters: string,
): Promise<Sheet> {
  document.setTitle(title, { showInWindowTitleBar: true });
  document.setLanguage('en');
  document.setProducer('Burnish');
  document.setCreator('Burnish');
  document.setCreationDate(new Date(madeAt));
  document.setModificationDate(new Date(madeAt));
  const typeface = await createTypeface(document, characters);
  let page: PDFPage = document.addPage([WIDTH, HEIGHT]);
  let y = HEIGHT - MARGIN;

  function need(height: number): void {
    if (y - height >= MARGIN + FOOT) return;
    page = document.addPage([WIDTH, HEIGHT]);
    y = HEIGHT - MARGIN;
  }

  function drawLine(on: PDFPage, line: string, x: number, baseline: number, options: TextOptions): void {
    const { size = 10, soft = false, bold = false } = options;
    let at = x;
    for (const { text, font } of typeface.toRuns(line, bold)) {
      on.drawText(text, { x: at, y: baseline, size, font, color: soft ? SOFT : INK });
      at += font.widthOfTextAtSize(text, size);
    }
  }

  function toLines(text: string, { size = 10, bold = false }: TextOptions, width: number): string[] {
    return wrapped(typeface.toWritable(text), (line) => typeface.measure(line, size, bold), width);
  }

  const sheet: Sheet = {
    get y() {
      return y;
    },
    need,
    skip(height) {
      y -= height;
    },
    rule() {
      page.drawLine({ start: { x: MARGIN, y }, end: { x: WIDTH - MARGIN, y }, thickness: 0.7, color: RULE });
    },
    text(text, options = {}) {
      const { size = 10, indent = 0, width = TEXT_WIDTH - indent } = options;
      for (const line of toLines(text, options, width)) {
        need(size * LINE);
        y -= size * LINE;
        drawLine(page, line, MARGIN + indent, y, options);
      }
    },
    lines(lines, top, options = {}) {
      const { size = 10, indent = 0, width = TEXT_WIDTH } = options;
      let at = top;
      for (const text of lines) {
        for (const line of toLines(text, options, width)) {
          at -= size * LINE;
          drawLine(page, line, MARGIN + indent, at, options);
        }
      }
      return top - at;
    },
    picture(image, { x, top, width, height }) {
      const scale = Math.min(width / image.width, height / image.height);
      const [w, h] = [image.width * scale, image.height * scale];
      const box = { x: MARGIN + x, y: top - h, width: w, height: h };
      page.drawImage(image, box);
      page.drawRectangle({ ...box, borderColor: RULE, borderWidth: 0.5, opacity: 0 });
      return box;
    },
    outline(box) {
      page.drawRectangle({ ...box, borderColor: ACCENT, borderWidth: 1.2, opacity: 0 });
    },
    async finish(foot) {
      const pages = document.getPages();
      const style = { size: 8, soft: true };
      const [first = '', ...rest] = toLines(foot, style, TEXT_WIDTH - 60);
      const fitted = rest.length === 0 ? first : `${toCharacters(first).slice(0, -1).join('')}…`;
      for (const [index, each] of pages.entries()) {
        const number = `${index + 1} / ${pages.length}`;
        drawLine(each, fitted, MARGIN, MARGIN, style);
        drawLine(each, number, WIDTH - MARGIN - typeface.measure(number, style.size, false), MARGIN, style);
      }
      return document.save();
    },
  };
  return sheet;
}

function wrapped(text: string, measure: (line: string) => number, width: number): string[] {
  const fits = (line: string): boolean => measure(line) <= width;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of toCharacters(word)) {
      if (line !== '' && !fits(line + character)) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return [...lines, line];
}
