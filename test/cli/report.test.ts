import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { estimate } from '../../src/cli/enhance/estimate.ts';
import { saveReport } from '../../src/cli/report/report.ts';
import { folderForFiles } from './support.ts';

const UPLOAD = 'upl_01jz8k3v5wq4m2n7p9r6s8t0xy';
const ENHANCEMENT = 'enh_01jz8k3v5wq4m2n7p9r6s8t0xy';

/** An instance that gives each report as a text of its address, after some answers of 202, and cuts one off. */
async function setUp(pending = 0) {
  const folder = await folderForFiles();
  let left = pending;
  const [answers, bodies] = [new Map<string, object>(), [] as unknown[]];
  const server = createServer((req, res) => {
    if (answers.has(req.url!))
      void json(req).then((body) => {
        bodies.push(body);
        res.end(JSON.stringify(answers.get(req.url!)));
      });
    else if (req.headers['x-api-key'] !== 'key') res.writeHead(401).end('{}');
    else if (left > 0) {
      left -= 1;
      res.writeHead(202, { 'retry-after': '0.01' }).end('The report is being made.');
    } else if (req.url!.includes('cut='))
      res.writeHead(200, { 'content-length': '1000' }).write('%PDF', () => res.destroy());
    else res.writeHead(200, { 'content-type': 'application/pdf' }).end(`%PDF of ${req.url!}`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    folder,
    /** The JSON answers by path, and the bodies that came for them */
    answers,
    bodies,
    instance: { baseUrl, apiKey: 'key' },
    async [Symbol.asyncDispose]() {
      await new Promise((closed) => server.close(closed));
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('burnish estimate sends the parameters of both kinds, and prints a price or a range, and the size', async () => {
  await using t = await setUp();
  const url = `/v1/uploads/${UPLOAD}/estimate`;
  const unknown = { filesize: null, minFilesize: null, maxFilesize: null, width: null, height: null };
  const base = { ...unknown, expectedImages: null };
  t.answers.set(url, { enhancements: [{ ...base, minCredits: 0, credits: 1, notes: ['Alpha is lost.'] }] });
  expect(await estimate(t.instance, { id: UPLOAD, mode: 'vivid' })).toBe('At most 1 credit. Alpha is lost.');
  expect(t.bodies.pop()).toEqual({ enhancements: [{ mode: 'VIVID' }] });
  t.answers.set(url, { enhancements: [{ ...base, minCredits: 4, credits: 4, width: 800, height: 600, notes: [] }] });
  expect(await estimate(t.instance, { id: UPLOAD, upscale: 'x2' })).toBe(
    '4 credits, and a result of 800 × 600 pixels.',
  );
  expect(t.bodies.pop()).toEqual({ enhancements: [{ upscalingFactor: 'X2' }] });
  const expectedImages = { full: 1, reduced: 1, unchanged: 2 };
  const sizes = { filesize: 600_000, minFilesize: 420_000, maxFilesize: 900_000 };
  t.answers.set(url, { enhancements: [{ ...base, minCredits: 0, credits: 8, ...sizes, expectedImages, notes: [] }] });
  expect(await estimate(t.instance, { id: UPLOAD })).toBe(
    'At most 8 credits, and a result of about 600 kB, probably 420 kB to 900 kB. To keep the size of the file, 1 image will probably be enlarged less or coded at a lower quality, and 2 will stay unchanged.',
  );
  t.bodies.pop();
  t.answers.set(url, { enhancements: [{ ...base, minCredits: 12, credits: 12, filesize: 1_250_000, notes: [] }] });
  expect(await estimate(t.instance, { id: UPLOAD, dpi: '600', allowBreakingSignatures: true })).toBe(
    '12 credits, and a result of about 1.3 MB.',
  );
  expect(t.bodies.pop()).toEqual({
    enhancements: [{ targetResolution: 600, pdf: { allowBreakingSignatures: true } }],
  });
  expect(JSON.parse(await estimate(t.instance, { id: UPLOAD, json: true }))).toEqual(t.answers.get(url));
  await expect(estimate(t.instance, { id: UPLOAD, dpi: '71' })).rejects.toThrow('for --dpi but received 71');
  await expect(estimate(t.instance, { id: ENHANCEMENT })).rejects.toThrow('Expected the id of an upload');
});

test.each([
  ['an upload', UPLOAD, `/v1/uploads/${UPLOAD}/report.pdf`],
  ['an enhancement', ENHANCEMENT, `/v1/enhancements/${ENHANCEMENT}/report.pdf`],
])('burnish report saves the report of %s', async (_, id, path) => {
  await using t = await setUp();
  const out = join(t.folder.path, 'report.pdf');
  expect(await saveReport(t.instance, { id, out })).toBe(out);
  expect(await readFile(out, 'utf8')).toBe(`%PDF of ${path}`);
});

test('burnish report asks again while a report is being made', async () => {
  await using t = await setUp(2);
  const out = join(t.folder.path, 'late.pdf');
  expect(JSON.parse(await saveReport(t.instance, { id: UPLOAD, out, json: true }))).toEqual({ path: out });
  expect(await readFile(out, 'utf8')).toContain('%PDF of');
});

test('burnish report does not replace an existing file, and the error names it', async () => {
  await using t = await setUp();
  const out = await t.folder.file('mine.pdf', 'mine');
  await expect(saveReport(t.instance, { id: UPLOAD, out })).rejects.toThrow(`The file ${out} exists.`);
  expect(await readFile(out, 'utf8')).toBe('mine');
});

test('an incomplete report leaves no file', async () => {
  await using t = await setUp();
  const out = join(t.folder.path, 'cut.pdf');
  const instance = { ...t.instance, baseUrl: `${t.instance.baseUrl}/?cut=` };
  await expect(saveReport(instance, { id: UPLOAD, out })).rejects.toThrow('was interrupted');
  await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a malformed id is refused before any request', async () => {
  await using t = await setUp();
  await expect(saveReport(t.instance, { id: 'whk_1' })).rejects.toThrow('Expected the id of an upload');
});
