import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { createFingerprint } from '../../../src/database/uploads/paid-work.ts';
import type { PdfOptions } from '../../../src/domain/representations/parameters.ts';
import { graphql, refusal } from '../graphql/support.ts';
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
  compact: true,
  pdfQuality: 80,
  maxGrowth: 2,
  hiddenLayers: true,
  bilevel: 'SMOOTH',
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

test.each([
  ['in `pdf`', NESTED],
  ['by their flat names', FLAT],
])('options of PDFs %s reach the workflow flat, and records show them in `pdf`', async (_form, given) => {
  const { answer, parameters } = await order(given);
  expect(parameters).toEqual(FLAT);
  expect(answer.enhancements[0].parameters).toEqual(NESTED);
  const { id } = answer.enhancements[0];
  expect((await (await send('GET', `/v1/enhancements/${id}`)).json()).parameters).toEqual(NESTED);
});

test('both forms are one request under an idempotency key, and one result', async () => {
  const [one, other] = [await order(NESTED), await order(FLAT)];
  const work = (parameters: object) => createFingerprint({ mimetype: 'application/pdf', plan: 'FREE', parameters });
  expect(work(one.parameters!)).toBe(work(other.parameters!));

  const first = await order(FLAT, 'both-forms');
  const again = await order(NESTED, 'both-forms');
  expect([again.response.headers.get('idempotent-replayed'), again.answer.id]).toEqual(['true', first.answer.id]);
  const another = await order({ ...NESTED, pdf: { ...OPTIONS, maxGrowth: 3 } }, 'both-forms');
  expect([another.response.status, another.answer.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
});

describe('an order is refused', () => {
  test.each(NAMES)('with %s in both forms', async (name) => {
    const { response, answer } = await order({ [name]: OPTIONS[name], pdf: { [name]: OPTIONS[name] } });
    expect([response.status, answer]).toMatchObject([
      400,
      {
        code: 'BAD_USER_INPUT',
        field: `enhancements[0].pdf.${name}`,
        detail: `Field enhancements[0].pdf.${name}: the order also gives ${name} outside pdf; remove one of them.`,
      },
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

  test.each([{ pdf: { compact: true } }, { compact: true }])('for an image with %j', async (body) => {
    const { id } = await storedUpload(gateway);
    const response = await send('POST', `/v1/uploads/${id}/enhancements`, { body });
    expect(await response.json()).toMatchObject({
      status: 400,
      field: 'pdf.compact',
      detail: 'Field pdf.compact applies to PDFs only, but the file is an image.',
    });
  });
});

test('an estimate takes no option twice, and an empty `pdf` for an image', async () => {
  const { id } = await storedUpload(gateway, { width: 400, height: 300 });
  const estimate = (body: object) => send('POST', `/v1/uploads/${id}/estimate`, { body });
  expect((await estimate({ upscalingFactor: 'X2', pdf: {} })).status).toBe(200);
  const refused = await (await estimate({ compact: true, pdf: { compact: true } })).json();
  expect(refused).toMatchObject({ code: 'BAD_USER_INPUT', field: 'pdf.compact' });
});

test('a preset keeps its version in either form, and an order replaces single options', async () => {
  const save = async (parameters: object) => (await send('PUT', '/v1/presets/scans', { body: { parameters } })).json();
  expect(await save(FLAT)).toMatchObject({ version: 1, parameters: NESTED });
  expect(await save(NESTED)).toMatchObject({ version: 1, parameters: NESTED });
  expect(await save({ bilevel: 'SMOOTH', pdf: { bilevel: 'SMOOTH' } })).toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'parameters.pdf.bilevel',
  });
  expect((await (await send('GET', '/v1/presets/scans')).json()).parameters).toEqual(NESTED);
  expect((await (await send('GET', '/v1/presets')).json()).items[0].parameters).toEqual(NESTED);
  const { answer, parameters } = await order({ preset: 'scans', pdf: { maxGrowth: 3 } });
  expect(parameters).toEqual({ ...FLAT, maxGrowth: 3 });
  expect(answer.enhancements[0].parameters).toEqual({ ...NESTED, pdf: { ...OPTIONS, maxGrowth: 3 } });
});

test('a batch takes both forms, and shows `pdf`', async () => {
  const create = async (parameters: object, once: string) =>
    (await send('POST', '/v1/batches', { body: { parameters }, once })).json();
  const first = await create(FLAT, 'scans');
  expect(first.parameters).toEqual(NESTED);
  expect((await create(NESTED, 'scans')).id).toBe(first.id);
  expect((await (await send('GET', `/v1/batches/${first.id}`)).json()).parameters).toEqual(NESTED);
  expect(await create({ maxGrowth: 2, pdf: { maxGrowth: 2 } }, 'twice')).toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'parameters.pdf.maxGrowth',
  });
});

describe('GraphQL', () => {
  const mutation = `mutation ($input: CreateUploadFromUrlInput!) {
    createUploadFromUrl(input: $input) {
      enhancedImages { parameters { targetResolution pdf { ${NAMES.join(' ')} } ${NAMES.join(' ')} } }
    }
  }`;
  const create = (enhancement: object) =>
    graphql(gateway, mutation, {
      variables: { input: { url: 'https://example.com/a.pdf', enhancements: [enhancement] } },
    });

  test.each([NESTED, FLAT])('takes %j, and answers both forms', async (given) => {
    const { data } = await create(given);
    expect(data.createUploadFromUrl.enhancedImages).toEqual([{ parameters: { ...FLAT, ...NESTED } }]);
  });

  test('treats null as absent, and refuses an option in both forms', async () => {
    const { data } = await create({ compact: null, pdf: { compact: true, maxGrowth: null } });
    expect(data.createUploadFromUrl.enhancedImages[0].parameters).toMatchObject({ compact: true, maxGrowth: null });
    const twice = refusal(await create({ compact: true, pdf: { compact: true } }));
    expect(twice).toEqual(['BAD_USER_INPUT', 'input.enhancements[0].pdf.compact']);
  });

  test('deprecates the flat names of orders alone, so that 1.0.0-rc.1 finds them as a client', async () => {
    const { data } = await graphql(
      gateway,
      `
        {
          order: __type(name: "CreateEnhancedImageInput") {
            inputFields {
              name
            }
          }
          preset: __type(name: "EnhancementParametersInput") {
            inputFields {
              name
            }
          }
          record: __type(name: "EnhancedImageParameters") {
            fields {
              name
            }
          }
        }
      `,
    );
    const names = (fields: { name: string }[]): string[] => fields.map(({ name }) => name);
    for (const listed of [names(data.order.inputFields), names(data.preset.inputFields)]) {
      expect(listed).toEqual(expect.arrayContaining(['targetResolution', 'customColorConfig', 'pdf']));
      expect(listed.filter((name) => (NAMES as string[]).includes(name))).toEqual([]);
    }
    expect(names(data.record.fields)).toEqual(expect.arrayContaining(['pdf', ...NAMES]));
  });
});

test('the OpenAPI description deprecates the flat names of orders, and shows records without them', () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const { schemas } = openApiDocument({ publicUrl: 'http://localhost', version: '0' }).components as any;
  expect(Object.keys(schemas.PdfOptions.properties)).toEqual(NAMES);
  for (const body of [schemas.SavePreset, schemas.CreateBatch])
    expect(body.properties.parameters.$ref).toBe('#/components/schemas/EnhancementParametersInput');
  for (const { properties } of [schemas.EnhancementOrder, schemas.EnhancementParametersInput]) {
    expect(properties.pdf).toEqual({ $ref: '#/components/schemas/PdfOptions' });
    for (const name of NAMES) expect([name, properties[name].deprecated]).toEqual([name, true]);
    expect(properties.targetResolution.deprecated).toBeUndefined();
  }
  const record = Object.keys(schemas.EnhancementParameters.properties);
  expect(record).toEqual(expect.arrayContaining(['targetResolution', 'pdf']));
  expect(record.filter((name) => (NAMES as string[]).includes(name))).toEqual([]);
});
