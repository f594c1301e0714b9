import { describe, expect, test } from '@jest/globals';
import type { PdfOptions } from '@burnish/contract';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { graphql } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

/** A value of each option of PDFs other than its default, but for `split`, which needs mode DOCUMENT. */
const OPTIONS: Required<PdfOptions> = {
  colorKinds: ['SCAN'],
  images: { 12: { color: false } },
  pages: { 7: 'ORIGINAL' },
  allowBreakingSignatures: true,
  archive: true,
  compact: true,
  pdfQuality: 80,
  maxGrowth: 2,
  hiddenLayers: true,
  split: false,
  text: true,
  textLanguages: 'eng+deu',
};
const NAMES = Object.keys(OPTIONS) as (keyof PdfOptions)[];
const FLAT = { targetResolution: 300, ...OPTIONS };
const NESTED = { pdf: OPTIONS, targetResolution: 300 };

/** Orders by URL. @returns the answer, and the parameters that the workflow gets */
async function order(enhancement: object, once?: string) {
  const body = { source: { url: 'https://example.com/a.pdf' }, enhancements: [enhancement] };
  const response = await send('POST', '/v1/uploads', { body, ...(once !== undefined && { once }) });
  const answer = await response.json();
  const started = gateway.temporal.starts.find(({ options }) => options.workflowId === `upload/${answer.id}`);
  return { response, answer, parameters: started?.options.args[0].enhancements[0]?.parameters };
}

test('options of PDFs reach the workflow flat, and records show them in `pdf`', async () => {
  const { answer, parameters } = await order(NESTED);
  expect(parameters).toEqual(FLAT);
  expect(answer.enhancements[0].parameters).toEqual(NESTED);
  const { id } = answer.enhancements[0];
  expect((await (await send('GET', `/v1/enhancements/${id}`)).json()).parameters).toEqual(NESTED);
});

test('options of PDFs are part of the request that an idempotency key repeats', async () => {
  const first = await order(NESTED, 'options');
  const again = await order(NESTED, 'options');
  expect([again.response.headers.get('idempotent-replayed'), again.answer.id]).toEqual(['true', first.answer.id]);
  const another = await order({ ...NESTED, pdf: { ...OPTIONS, maxGrowth: 3 } }, 'options');
  expect([another.response.status, another.answer.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
});

describe('an order is refused', () => {
  test.each(NAMES)('with %s outside `pdf`', async (name) => {
    const { response, answer } = await order({ [name]: OPTIONS[name] });
    expect([response.status, answer]).toMatchObject([
      400,
      { code: 'BAD_USER_INPUT', field: `enhancements[0].${name}` },
    ]);
  });

  test.each([
    ['an unknown option', { pdf: { packed: true } }, 'enhancements[0].pdf.packed'],
    ['a value out of bounds', { pdf: { maxGrowth: 0.5 } }, 'enhancements[0].pdf.maxGrowth'],
    [
      'a parameter of the contract in `pdf`',
      { pdf: { targetResolution: 300 } },
      'enhancements[0].pdf.targetResolution',
    ],
    ['no object', { pdf: true }, 'enhancements[0].pdf'],
    ['split pages without mode DOCUMENT', { pdf: { split: true } }, 'enhancements[0].pdf.split'],
  ])('with %s', async (_what, enhancement, field) => {
    const { response, answer } = await order(enhancement);
    expect([response.status, answer]).toMatchObject([400, { code: 'BAD_USER_INPUT', field }]);
  });

  test('for an image', async () => {
    const { id } = await storedUpload(gateway);
    const response = await send('POST', `/v1/uploads/${id}/enhancements`, {
      body: { enhancements: [{ pdf: { compact: true } }] },
    });
    expect(await response.json()).toMatchObject({
      status: 400,
      field: 'enhancements[0].pdf.compact',
      detail: 'Field pdf.compact applies to PDFs only, but the file is an image.',
    });
  });
});

test('an estimate takes options in `pdf` alone, and an empty `pdf` for an image', async () => {
  const { id } = await storedUpload(gateway, { width: 400, height: 300 });
  const estimate = (each: object) => send('POST', `/v1/uploads/${id}/estimate`, { body: { enhancements: [each] } });
  expect((await estimate({ upscalingFactor: 'X2', pdf: {} })).status).toBe(200);
  const refused = await (await estimate({ compact: true })).json();
  expect(refused).toMatchObject({ code: 'BAD_USER_INPUT', field: 'enhancements[0].compact' });
});

test('a preset keeps its version when it is saved again, and an order replaces single options', async () => {
  const save = async (each: object) =>
    (await send('PUT', '/v1/presets/scans', { body: { enhancements: [each] } })).json();
  expect(await save(NESTED)).toMatchObject({ version: 1, enhancements: [NESTED] });
  expect(await save(NESTED)).toMatchObject({ version: 1, enhancements: [NESTED] });
  expect(await save({ compact: true })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'enhancements[0].compact' });
  expect((await (await send('GET', '/v1/presets/scans')).json()).enhancements).toEqual([NESTED]);
  expect((await (await send('GET', '/v1/presets')).json()).items[0].enhancements).toEqual([NESTED]);
  const { answer, parameters } = await order({ preset: 'scans', pdf: { maxGrowth: 3 } });
  expect(parameters).toEqual({ ...FLAT, maxGrowth: 3 });
  expect(answer.enhancements[0].parameters).toEqual({ ...NESTED, pdf: { ...OPTIONS, maxGrowth: 3 } });
});

test('a batch takes options in `pdf` alone, and shows them there', async () => {
  const create = async (each: object, once: string) =>
    (await send('POST', '/v1/batches', { body: { enhancements: [each] }, once })).json();
  const first = await create(NESTED, 'scans');
  expect(first.enhancements).toEqual([NESTED]);
  expect((await (await send('GET', `/v1/batches/${first.id}`)).json()).enhancements).toEqual([NESTED]);
  expect(await create({ maxGrowth: 2 }, 'outside')).toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'enhancements[0].maxGrowth',
  });
});

describe('GraphQL', () => {
  const mutation = `mutation ($input: CreateUploadFromUrlInput!) {
    createUploadFromUrl(input: $input) {
      enhancedImages { parameters { targetResolution pdf { ${NAMES.join(' ')} } } }
    }
  }`;
  const create = (enhancement: object) =>
    graphql(gateway, mutation, {
      variables: { input: { url: 'https://example.com/a.pdf', enhancements: [enhancement] } },
    });

  test('takes and answers options in `pdf`', async () => {
    const { data } = await create(NESTED);
    expect(data.createUploadFromUrl.enhancedImages).toEqual([{ parameters: NESTED }]);
  });

  test('treats null as absent', async () => {
    const { data } = await create({ pdf: { compact: true, maxGrowth: null } });
    expect(data.createUploadFromUrl.enhancedImages[0].parameters.pdf).toMatchObject({ compact: true, maxGrowth: null });
  });
});

test('the OpenAPI description has the options of PDFs in `pdf` alone', () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const { schemas } = openApiDocument({ publicUrl: 'http://localhost', version: '0' }).components as any;
  expect(Object.keys(schemas.PdfOptions.properties)).toEqual(NAMES);
  for (const [body, element] of [
    [schemas.CreateUpload, 'EnhancementOrder'],
    [schemas.CreateEnhancements, 'EnhancementOrder'],
    [schemas.CreateBatch, 'BatchEnhancement'],
    [schemas.SavePreset, 'EnhancementParametersInput'],
  ])
    expect(body.properties.enhancements.items.$ref).toBe(`#/components/schemas/${element}`);
  for (const { properties } of [
    schemas.EnhancementOrder,
    schemas.BatchEnhancement,
    schemas.EnhancementParametersInput,
    schemas.EnhancementParameters,
  ]) {
    const names = Object.keys(properties);
    expect(names).toEqual(expect.arrayContaining(['targetResolution', 'pdf']));
    expect(names.filter((name) => (NAMES as string[]).includes(name))).toEqual([]);
  }
});
