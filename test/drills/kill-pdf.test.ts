import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { freePorts, startInstance } from '../e2e/instance.ts';
import { until } from '../support/until.ts';
import { buildPdf, onePage, type Objects } from '../../packages/pdf/test/build-pdf.ts';
import { photograph } from '../../packages/engine/test/pdf/pictures.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * More work than one activity accepts, although each image only gets a tone change. The last image ends seconds after the
 * third.
 */
const IMAGES = 32;
const SIDE = 2000;

async function largePdf(): Promise<Buffer> {
  const { data, width, height } = photograph(SIDE, SIDE, 1);
  const jpeg = await sharp(data, { raw: { width, height, channels: 1 } })
    .toColourspace('b-w')
    .jpeg({ quality: 80 })
    .toBuffer();
  const dict = `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`;
  const numbers = Array.from({ length: IMAGES }, (_, i) => 10 + i);
  const content = numbers.map((n) => `q 480 0 0 480 0 0 cm /Im${n} Do Q`).join(' ');
  const objects: Objects = onePage(content, `/XObject<<${numbers.map((n) => `/Im${n} ${n} 0 R`).join('')}>>`);
  for (const n of numbers) objects[n] = { dict, data: jpeg };
  return buildPdf(objects);
}

/** Stored results of images, as files. Another result under the same name would be a different file. */
async function storedResults(dataDir: string): Promise<Map<string, number>> {
  // Searches only the folder of files. A search of the folder of the database takes longer, and a PDF could finish meanwhile.
  const storage = join(dataDir, 'files');
  const found = await readdir(storage, { recursive: true }).catch(() => []);
  const results = found.filter((path) => /\/work\/\d+-[0-9a-f]+\/\d+\.object$/.test(path));
  const files = results.map(async (path): Promise<[string, number]> => [path, (await stat(join(storage, path))).ino]);
  // The last results disappear during the search, once the PDF is assembled.
  const settled = await Promise.allSettled(files);
  return new Map(settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
}

test('kill -9 during a PDF repeats only the images in progress', async () => {
  await using folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  const shared = { dataDir: folder.path, ports: await freePorts() };
  const order = { enhancements: [{ targetResolution: 300, customColorConfig: { auto: false, contrast: 0.1 } }] };
  let id = '';
  let apiKey = '';
  let before = new Map<string, number>();
  {
    await using instance = await startInstance(shared);
    ({ apiKey } = instance);
    const { status, body } = await instance.api.upload(await largePdf(), order);
    expect(status).toBe(202);
    ({ id } = body);
    before = await until(
      () => storedResults(folder.path),
      ({ size }) => size >= 3,
      { pauseMs: 10 },
    );
    await instance.killTree();
  }
  before = await storedResults(folder.path);
  expect(before.size).toBeGreaterThanOrEqual(3);
  expect(before.size).toBeLessThan(IMAGES);

  await using instance = await startInstance({ ...shared, apiKey });
  const after = new Map<string, number>();
  const watching = until(
    async () => {
      for (const [path, inode] of await storedResults(folder.path)) after.set(path, inode);
      const { body } = await instance.api.get<{ enhancements: { status: string }[] }>(`/v1/uploads/${id}`);
      return body.enhancements;
    },
    (enhancements) => enhancements.some(({ status }) => ['FINISHED', 'ERROR'].includes(status)),
    { pauseMs: 10 },
  );
  const { enhancements } = await instance.api.settled(id);
  await watching;
  expect(enhancements).toMatchObject([{ status: 'FINISHED', chargedCredits: IMAGES }]);
  for (const [path, inode] of before) expect([path, after.get(path)]).toEqual([path, inode]);
  expect(after.size).toBeGreaterThan(before.size);
  expect((await storedResults(folder.path)).size).toBe(0);
}, 180_000);
