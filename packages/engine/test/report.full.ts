import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { PDFDocument } from '@cantoo/pdf-lib';
import type { ReportContent } from '@burnish/contract/engine';
import { createTypeface } from '../src/report/typeface.ts';
import { writeReport } from '../src/report/write-report.ts';
import { pdfTexts } from '../../../test/support/pdf-text.ts';
import { scratchFolder } from './support/files.ts';

const scratch = await scratchFolder();

const NAMES = {
  'Western European': 'Größe d’été.pdf',
  Polish: 'Zażółć gęślą jaźń.pdf',
  Greek: 'Φωτογραφία διακοπών.pdf',
  Cyrillic: 'Фото з відпустки.pdf',
  Hebrew: 'תמונה חדשה.pdf',
  Arabic: 'صورة جديدة.pdf',
  Devanagari: 'नमस्ते.pdf',
  Thai: 'ภาพถ่าย ที่นี่.pdf',
  Chinese: '假期照片 龍年.pdf',
  Japanese: '日本語のファイル テスト.pdf',
  Korean: '휴가 사진.pdf',
  emoji: 'party 😀🎉❤️.pdf',
};

function contentOf(names: Record<string, string>): ReportContent {
  return {
    title: 'Preflight',
    subtitle: names['Chinese'] ?? 'Names',
    foot: `Burnish preflight of ${Object.values(names)[0]}`,
    madeAt: '2026-11-23T06:00:00.000Z',
    sections: [{ heading: 'Names', rows: Object.entries(names) }],
    notes: null,
    images: null,
    pages: [],
  };
}

async function written(name: string, content: ReportContent): Promise<string> {
  const outputPath = `${scratch(name)}.pdf`;
  await writeReport({ content, picturesDir: '', outputPath });
  return outputPath;
}

/** Text as a reader finds it, without marks of direction. */
async function textOf(path: string): Promise<string> {
  const texts = await pdfTexts(await readFile(path));
  return texts.join(' ').replace(/[\u200E\u200F]/g, '');
}

test.each(Object.entries(NAMES))('a report prints a file name in %s', async (script, name) => {
  const text = await textOf(await written(script.replace(' ', '-'), contentOf({ [script]: name })));
  expect(text.normalize('NFC')).toContain(name.replace(/\uFE0F|\.pdf$/g, ''));
  expect(text).toContain('.pdf');
  expect(text).not.toMatch(/\?|U\+/);
});

test('a report with every script has equal bytes each time, and only the glyphs that it shows', async () => {
  const [first, second] = [await written('all', contentOf(NAMES)), await written('again', contentOf(NAMES))];
  const [one, two] = [await readFile(first), await readFile(second)];
  expect(one.equals(two)).toBe(true);
  expect(one.length).toBeLessThan(150_000);
});

test('a report of Western European names embeds no font', async () => {
  const embedded = async (name: string): Promise<number> => {
    const pdf = await PDFDocument.load(await readFile(await written(name, contentOf({ name: `${name}.pdf` }))));
    const objects = pdf.context.enumerateIndirectObjects().map(([, object]) => String(object));
    return objects.filter((text) => text.includes('/FontFile')).length;
  };
  expect([await embedded('Größe'), await embedded('Φωτο')]).toEqual([0, 1]);
});

test('characters without a font, and those that change the direction, are printed as code points', async () => {
  const text = await textOf(await written('strange', contentOf({ name: 'photo\u202Egpj.exe 𓀀.pdf' })));
  expect(text).toContain('photo[U+202E]gpj.exe [U+13000].pdf');
});

test('runs stand in the order of their places, with brackets mirrored', async () => {
  const line = 'אבג (דה) 12.pdf';
  const typeface = await createTypeface(await PDFDocument.create(), line);
  const runs = typeface.toRuns(line, false).map(({ text }) => text);
  expect(runs.at(-1)).toContain('.pdf');
  // From right to left on paper: אבג (דה) 12
  const [place, first, second] = ['12', 'דה', 'אבג'].map((part) => runs.findIndex((text) => text.includes(part)));
  expect(place).toBeLessThan(first!);
  expect(first).toBeLessThan(second!);
  expect(runs.join('')).toContain('(דה)');
});
