import { deflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { PreviewEngine } from '../../../src/api/previews/previews.ts';
import { openPreviewEngine } from '../../../src/runtime/preview-engine.ts';
import { pdfWithPhoto } from '../../e2e/files.ts';
import { buildPdf, onePage } from '../../../packages/pdf/test/build-pdf.ts';
import { nestedForms } from '../../../packages/engine/test/pdf/hostile-files.ts';
import { onTestFinished } from '../../support/running-test.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testGateway, type TestGateway, type TestResponse } from '../support/gateway.ts';
import { uploadOf } from './stored-files.ts';

/** Valid pages of 700,000 lines in a few kB. A renderer takes half a minute for each. */
function heavyPages(count: number): Buffer {
  const numbers = Array.from({ length: count }, (_, index) => 10 + index);
  const lines = deflateSync('9 9 m 500 700 l S '.repeat(700_000));
  return buildPdf({
    ...onePage('', ''),
    2: `<</Type/Pages/Kids[${numbers.map((number) => `${number} 0 R`).join(' ')}]/Count ${count}/MediaBox[0 0 600 800]>>`,
    5: { dict: '/Filter/FlateDecode', data: lines },
    ...Object.fromEntries(numbers.map((number) => [number, '<</Type/Page/Parent 2 0 R/Contents 5 0 R>>'])),
  });
}

/** A gateway with a low limit of CPU time, and the accounts of its turns at the children, in order. */
async function countedGateway() {
  const folder = await temporaryFolder();
  const engine = await openPreviewEngine(folder.path, { cpuMs: 1_500 });
  const turns: string[] = [];
  const previewEngine: PreviewEngine = {
    ...engine,
    pdfPage: (account, input) => (turns.push(account), engine.pdfPage(account, input)),
  };
  const gateway = await testGateway({ previewEngine });
  onTestFinished(async () => {
    await engine.close();
    await gateway[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  return { gateway, turns };
}

/** An upload of the second account. */
async function foreignUpload(gateway: TestGateway, bytes: Buffer) {
  const other = { ...gateway, account: { ...gateway.account, id: `acc_${'0'.repeat(26)}` } };
  return await uploadOf(other, bytes, 'application/pdf');
}

const codeOf = async (response: TestResponse): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

test('an account that asks for slow pages keeps no turn of another account waiting', async () => {
  const { gateway, turns } = await countedGateway();
  const slow = await uploadOf(gateway, heavyPages(6), 'application/pdf');
  const page = (number: number): Promise<TestResponse> =>
    gateway.fetch(`/v1/uploads/${slow.id}/pdf-pages/${number}/preview`);
  const flood = [1, 2, 3, 4, 5, 6].map(page);
  for (const each of flood) each.catch(() => undefined);
  const other = await foreignUpload(gateway, await pdfWithPhoto());
  const address = `/v1/uploads/${other.id}/pdf-pages/1/preview`;
  const before = turns.length;
  const response = await gateway.fetch(address, { key: gateway.foreignKey });
  expect(response.status).toBe(200);
  const waited = turns.slice(before, turns.lastIndexOf(other.accountId));
  expect(waited.length).toBeLessThanOrEqual(1);
  // The slow page takes its CPU time, and no more; asked again, it takes no turn.
  expect(await codeOf(await flood[0]!)).toEqual([422, 'PROCESSING_LIMIT']);
  const [taken, again] = [turns.length, await page(1)];
  expect(await codeOf(again)).toEqual([422, 'PROCESSING_LIMIT']);
  expect(turns.length - taken).toBeLessThanOrEqual(1);
});

test('forms within forms are refused by their number, for pages, lists and reports alike', async () => {
  const { gateway } = await countedGateway();
  const credits = { color: 1, resize: 0, colorAndResize: 1 };
  const statistics = { pages: 1, images: 1, colorEligible: 1, resizeEligible: 0, credits };
  const analysis = { totalCredits: 1, statistics };
  const analyzed = { subStatus: 'METADATA_ANALYZED_SUCCESSFULLY', analysis } as const;
  const upload = await uploadOf(gateway, nestedForms(), 'application/pdf', analyzed);
  for (const part of ['pdf-pages/1/preview', 'pdf-pages', 'pdf-images', 'report.pdf']) {
    const response = await gateway.fetch(`/v1/uploads/${upload.id}/${part}`);
    const problem = (await response.json()) as { code: string; detail: string };
    expect([part, response.status, problem.code]).toEqual([part, 422, 'PROCESSING_LIMIT']);
    expect(problem.detail).toContain('500,000 uses of forms on one page');
  }
});
