import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { analyzePdf } from '../../packages/engine/src/pdf/enhance/enhance.ts';
import { buildPdf } from '../../packages/pdf/test/build-pdf.ts';
import { imageOnGround, xObject } from '../../packages/engine/test/pdf/made-pictures.ts';
import { jpegImage, photograph } from '../../packages/engine/test/pdf/pictures.ts';
import { enhancePdf, parametersOf } from '../../packages/engine/test/pdf/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { photo } from './files.ts';
import { sharedInstance } from './shared-instance.ts';

/** One image that becomes 10,200 × 13,200 pixels, at 4 times its size. */
const [WIDTH, HEIGHT] = [2550, 3300] as const;
const largePdf = buildPdf(imageOnGround(xObject(await jpegImage(photograph(WIDTH, HEIGHT), 85)), WIDTH, HEIGHT, 1));
const ENLARGED = { targetResolution: 288, pdf: { maxGrowth: 100 } };

/** Most CPU time between two reports of progress, and of all work on the image, seconds. */
const MOST_CPU = { silent: 5, total: 60 };
const LARGE_ORDERS = 6;
const SMALL_FILES = 2;
/** Large images that may end before the small files: one in each slot of the engine, and one before the count. */
const LARGE_TURNS = 3;

test('the enlargement of an image to 135 megapixels reports progress after at most 5 s of CPU time', async () => {
  await using folder = await temporaryFolder();
  const inputPath = `${folder.path}/large.pdf`;
  writeFileSync(inputPath, largePdf);
  const { facts } = await analyzePdf({ inputPath });
  const started = process.cpuUsage();
  const seconds = (): number => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1e6;
  };
  const told: { at: number; fraction: number }[] = [{ at: 0, fraction: 0 }];
  const parameters = parametersOf(ENLARGED);
  const onProgress = ({ fraction }: { fraction: number }): unknown => told.push({ at: seconds(), fraction });
  const { enhanced } = await enhancePdf({
    inputPath,
    outputPath: `${folder.path}/out.pdf`,
    parameters,
    facts,
    onProgress,
  });
  told.push({ at: seconds(), fraction: 1 });
  expect(enhanced).toBe(1);
  const moves = told.filter(({ fraction }, i) => i === 0 || fraction > told[i - 1]!.fraction);
  const silences = moves.slice(1).map(({ at }, i) => at - moves[i]!.at);
  expect(moves.length).toBeGreaterThan(5);
  expect(Math.max(...silences)).toBeLessThan(MOST_CPU.silent);
  expect(told.at(-1)!.at).toBeLessThan(MOST_CPU.total);
});

test('small files of another account are served between images of 135 megapixels', async () => {
  const { api: large } = await sharedInstance({ plan: 'BUSINESS', creditsPerPeriod: 1000 });
  const { api: small } = await sharedInstance({ plan: 'BUSINESS', creditsPerPeriod: 1000 });
  const enhancements = Array.from({ length: LARGE_ORDERS }, (_, i) => ({
    ...ENLARGED,
    pdf: { ...ENLARGED.pdf, pdfQuality: 60 + i },
  }));
  const { status, body } = await large.upload(largePdf, { enhancements });
  expect(status).toBe(202);
  const states = async (): Promise<string[]> =>
    (await large.get<{ enhancements: { status: string }[] }>(`/v1/uploads/${body.id}`)).body.enhancements.map(
      (each) => each.status,
    );
  await until(async () => ((await states()).includes('PROCESSING') ? true : undefined));
  const files = await Promise.all(
    Array.from({ length: SMALL_FILES }, async (_, i) => small.upload(await photo(i + 1), { enhancements: [{}] })),
  );
  for (const file of files)
    expect((await small.settled(file.body.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
  expect((await states()).filter((state) => state === 'FINISHED').length).toBeLessThanOrEqual(LARGE_TURNS);
  const first = await until(async () => {
    const { enhancements: all } = (
      await large.get<{ enhancements: { id: string; status: string }[] }>(`/v1/uploads/${body.id}`)
    ).body;
    return all.find((each) => each.status === 'FINISHED');
  });
  const { items } = (await large.get<{ items: object[] }>(`/v1/enhancements/${first.id}/pdf-images`)).body;
  expect(items).toMatchObject([{ enhanced: { width: 4 * WIDTH, height: 4 * HEIGHT } }]);
  await large.call('DELETE', `/v1/uploads/${body.id}`);
}, 300_000);
