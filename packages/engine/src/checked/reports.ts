import { join } from 'node:path';
import { z } from 'zod';
import type { ReportContent } from '@burnish/contract/engine';
import { writeReport as write, type WriteReportInput } from '../report/write-report.ts';
import { checkInputFile, checkOutputFile } from './check-files.ts';
import { checkInput, path } from './check-input.ts';
import { withEngineErrors } from './engine-errors.ts';

const text = z.string();
const picture = z.int().min(0).nullable();
const pictured = z.strictObject({ picture, caption: text });
const fraction = z.number();

const content = z.strictObject({
  title: text,
  subtitle: text,
  foot: text,
  madeAt: z.iso.datetime({ offset: true }),
  sections: z.array(z.strictObject({ heading: text, rows: z.array(z.tuple([text, text])) })),
  notes: z.strictObject({ heading: text, texts: z.array(text) }).nullable(),
  images: z
    .strictObject({
      heading: text,
      note: text.nullable(),
      rows: z.array(
        z.strictObject({ title: text, before: pictured, after: pictured.nullable(), lines: z.array(text) }),
      ),
    })
    .nullable(),
  pages: z.array(
    z.strictObject({
      heading: text,
      before: picture,
      after: picture,
      outlines: z.array(
        z.strictObject({ number: z.int(), left: fraction, top: fraction, width: fraction, height: fraction }),
      ),
    }),
  ),
} satisfies { [Field in keyof ReportContent]-?: z.ZodType });

const reportInput = z.strictObject({ content, picturesDir: path, outputPath: path });

/**
 * Lays out a report as a PDF.
 * @param input each picture is a file of `picturesDir` whose name is its number
 * @throws EngineError BAD_USER_INPUT, CORRUPT_FILE for a picture that cannot be read, INTERNAL, UNAVAILABLE
 */
export async function writeReport(input: WriteReportInput): Promise<void> {
  checkInput(reportInput, input);
  await withEngineErrors(input, async ({ outputPath, picturesDir }) => {
    const pictures = picturesOf(input.content).map((number) =>
      checkInputFile(join(picturesDir, String(number)), `picturesDir/${number}`),
    );
    await checkOutputFile(outputPath, await Promise.all(pictures));
    await write(input);
  });
}

function picturesOf({ images, pages }: ReportContent): number[] {
  const all = [
    ...(images?.rows ?? []).flatMap(({ before, after }) => [before.picture, after?.picture]),
    ...pages.flatMap(({ before, after }) => [before, after]),
  ];
  return all.filter((each) => typeof each === 'number');
}
