import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Picture } from '../../packages/engine/src/image/picture.ts';
import { toWords } from './judge-page.ts';

/** Resolution of a scan, DPI, and pages of a PDF that are measured. */
const [DPI, MOST_PAGES] = [200, 2];
/** Pages that are scanned already have their text beside them, as `<name>.txt`. */
const PICTURE = /\.(tiff?|png|jpe?g)$/iu;

export interface SourcePage {
  name: string;
  picture: Picture;
  dpi: number;
  words: string[];
}

/** Draws the pages of PDFs and pictures in shades of grey. @param every takes each so-many-th page */
export async function* readSourcePages(folder: string, every: number): AsyncGenerator<SourcePage> {
  let at = 0;
  for (const file of readdirSync(folder).sort()) {
    if (!/\.pdf$/iu.test(file) && !PICTURE.test(file)) continue;
    for await (const page of pagesOf(folder, file)) {
      at += 1;
      if (at % every === 0) yield page;
    }
  }
}

async function* pagesOf(folder: string, file: string): AsyncGenerator<SourcePage> {
  const path = join(folder, file);
  if (PICTURE.test(file)) {
    const { density = 300 } = await sharp(path).metadata();
    const words = readdirSync(folder).includes(file.replace(PICTURE, '.txt'))
      ? toWords(execFileSync('cat', [path.replace(PICTURE, '.txt')]).toString())
      : [];
    yield { name: file, picture: await greyPicture(path), dpi: density > 96 ? density : 300, words };
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'burnish-bench-'));
  try {
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const only = ['-f', String(page), '-l', String(page)];
      try {
        execFileSync(
          'pdftoppm',
          ['-r', String(DPI), '-gray', '-png', ...only, '-singlefile', path, join(scratch, 'page')],
          {
            stdio: 'ignore',
          },
        );
      } catch {
        return;
      }
      const words = toWords(
        execFileSync('pdftotext', [...only, path, '-'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
      );
      yield { name: `${file}, page ${page}`, picture: await greyPicture(join(scratch, 'page.png')), dpi: DPI, words };
      rmSync(join(scratch, 'page.png'));
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function greyPicture(path: string): Promise<Picture> {
  const { data, info } = await sharp(path)
    .flatten({ background: '#fff' })
    .toColourspace('b-w')
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 1, space: 'grey', hasAlpha: false };
}
