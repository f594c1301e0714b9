import { beforeAll, expect, test } from '@jest/globals';
import { FAILURES } from '@burnish/contract';
import { jpeg } from '../support/files.ts';
import { OPERATOR_KEY, type TestResponse, useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
let upload: { id: string };
let batch: { id: string };
let photo: Blob;

beforeAll(async () => {
  upload = await storedUpload(gateway);
  photo = new Blob([new Uint8Array(await jpeg())], { type: 'image/jpeg' });
  batch = await (await send('POST', '/v1/batches', { body: { enhancements: [{}] } })).json();
});

/** A refusal in the terms that REST and GraphQL share. */
interface Refusal {
  code: string;
  field: string | undefined;
  detail: string;
  remedy: string;
}

async function rest(answer: Promise<TestResponse>): Promise<Refusal> {
  const { code, field, detail, remedy } = await (await answer).json();
  return { code, field, detail, remedy };
}

const json = (path: string, body: unknown, method = 'POST') => rest(send(method, path, { body }));
const get = (path: string) => rest(send('GET', path));
const raw = (path: string, body: string | Blob, headers: Record<string, string> = {}, method = 'POST') =>
  rest(gateway.fetch(path, { method, body, headers }));
const source = { url: 'https://example.com/a.jpg' };
const upload1 = (body: object) => json('/v1/uploads', { source, ...body });
const order = (parameters: object) => json(`/v1/uploads/${upload.id}/enhancements`, { enhancements: [parameters] });

function form(fields: Record<string, string | Blob>): Promise<Refusal> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return rest(gateway.fetch('/v1/uploads', { method: 'POST', body: data }));
}

async function graphql(query: string, variables?: object): Promise<Refusal> {
  const { errors } = await (await send('POST', '/graphql', { body: { query, variables } })).json();
  const [{ message, extensions }] = errors;
  return { code: extensions.code, field: extensions.field, detail: message, remedy: extensions.remedy };
}
const enhance = (input: unknown) =>
  graphql(
    'mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) { id } }',
    {
      id: upload.id,
      input,
    },
  );

/** Mistakes as people make them; and what the answer must name: the field, the value, and what is right. */
const MISTAKES: Record<string, [make: () => Promise<Refusal>, ...named: string[]]> = {
  'a misspelt parameter': [() => order({ upscaleFactor: 'X2' }), 'upscaleFactor', 'upscalingFactor'],
  'a value in lower case': [() => order({ mode: 'enhance' }), 'mode', '"enhance"', 'ENHANCE'],
  'a factor as a number': [() => order({ upscalingFactor: 2 }), 'upscalingFactor', '2', 'X2'],
  'a factor that does not exist': [() => order({ upscalingFactor: 'X3' }), 'upscalingFactor', '"X3"', 'X2', 'X4'],
  'a strength in percent': [() => order({ sharpening: 50 }), 'sharpening', '50', '0', '1'],
  'a number as text': [() => order({ outputQuality: '90' }), 'outputQuality', '"90"', 'number', 'without quotes'],
  'a boolean as text': [() => order({ keepMetadata: 'true' }), 'keepMetadata', '"true"', 'true or false'],
  'one enhancement without its list': [
    () => json(`/v1/uploads/${upload.id}/enhancements`, { enhancements: { upscalingFactor: 'X2' } }),
    'enhancements',
    '[{',
  ],
  'parameters outside of the list': [() => upload1({ upscalingFactor: 'X2' }), 'upscalingFactor', 'enhancements'],
  'the singular of a field': [() => upload1({ enhancement: [{}] }), 'enhancement', 'enhancements'],
  'a URL without its source': [
    () => json('/v1/uploads', { url: 'https://example.com/a.jpg' }),
    'url',
    '{"source":{"url":',
  ],
  'a URL without a scheme': [
    () => json('/v1/uploads', { source: { url: 'example.com/a.jpg' } }),
    'source.url',
    'https://',
  ],
  'a private address': [
    () => json('/v1/uploads', { source: { url: 'http://192.168.1.5/a.jpg' } }),
    'source.url',
    '192.168.1.5',
    'BURNISH_ALLOWED_PRIVATE_HOSTS',
  ],
  'JSON that is cut off': [
    () => raw('/v1/uploads', '{"source": {"url": "https://example.com/a.jpg"}', { 'Content-Type': 'application/json' }),
    'line 1',
    'column 48',
  ],
  'JSON with a comma at its end': [
    () => raw('/v1/uploads', '{\n  "source": {},\n}', { 'Content-Type': 'application/json' }),
    'line 3',
    'column 1',
  ],
  'JSON with single quotes': [
    () => raw('/v1/uploads', "{'source': 1}", { 'Content-Type': 'application/json' }),
    'line 1',
    'column 2',
    'double quotes',
  ],
  'a form whose file has another name': [() => form({ image: photo }), 'image', 'file'],
  'a form without a file': [() => form({ filename: 'a.jpg' }), 'file', '-F file=@'],
  'a path as the text of the file': [() => form({ file: 'photo.jpg' }), 'file', '@photo.jpg'],
  'a misspelt field of a form': [() => form({ file: photo, maxCredit: '10' }), 'maxCredit', 'maxCredits'],
  'a word for a number in a form': [
    () => form({ file: photo, maxCredits: 'ten' }),
    'maxCredits',
    '"ten"',
    'whole number',
  ],
  'enhancements of a form that are no JSON': [
    () => form({ file: photo, enhancements: 'upscalingFactor=X2' }),
    'enhancements',
    'JSON',
    '[{"upscalingFactor":"X2"}]',
  ],
  'a word for a number in the query': [
    () => raw('/v1/uploads?maxCredits=ten', photo, { 'Content-Type': 'image/jpeg' }),
    'maxCredits',
    '"ten"',
    'whole number',
  ],
  'a signed upload with a size in words': [
    () => json('/v1/uploads/signed', { filename: 'a.jpg', filesize: '2 MB', mimetype: 'image/jpeg' }),
    'filesize',
    '"2 MB"',
    'whole number',
  ],
  'a signed upload without a type': [
    () => json('/v1/uploads/signed', { filename: 'a.jpg', filesize: 30_000 }),
    'mimetype',
    'missing',
  ],
  'a signed upload with the name of another API': [
    () => json('/v1/uploads/signed', { fileName: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg' }),
    'fileName',
    'filename',
  ],
  'metadata as text': [() => upload1({ customMetadata: '{"a":1}' }), 'customMetadata', 'object'],
  'a page that is too large': [() => get('/v1/uploads?limit=500'), 'limit', '500', '1', '100'],
  'a misspelt state in a query': [() => get('/v1/uploads?status=FINISHED'), 'status', '"FINISHED"', 'UPLOAD_FINISHED'],
  'a query that does not exist': [() => get('/v1/uploads?page=2'), 'page', 'after', 'limit'],
  'a day instead of a time': [
    () => get('/v1/uploads?createdAfter=2026-01-31'),
    'createdAfter',
    '"2026-01-31"',
    '2026-01-31T00:00:00Z',
  ],
  'a preset with an order in it': [
    () => json('/v1/presets/web', { enhancements: [{ maxCredits: 5 }] }, 'PUT'),
    'maxCredits',
    'preset',
  ],
  'parameters of a preset without a list': [
    () => json('/v1/presets/web', { mode: 'VIVID' }, 'PUT'),
    'mode',
    'enhancements',
  ],
  'a list as items of a batch': [
    () =>
      raw(`/v1/batches/${batch.id}/items`, '[{"url":"https://example.com/a.jpg"}]', {
        'Content-Type': 'application/x-ndjson',
      }),
    'line 1',
    '{"url":"https://example.com/photo.jpg"}',
  ],
  'a misspelt field of an item': [
    () =>
      raw(`/v1/batches/${batch.id}/items`, '{"uri":"https://example.com/a.jpg"}', {
        'Content-Type': 'application/x-ndjson',
      }),
    'line 1',
    'uri',
    'url',
  ],
  'an event that does not exist': [
    () => json('/v1/webhooks', { url: 'https://example.com/h', events: ['enhancement.finished'] }),
    'events[0]',
    '"enhancement.finished"',
    'enhanced_image.status_update',
  ],
  'a scope that does not exist': [
    () => json('/v1/api-keys', { name: 'shop', scopes: ['write'] }),
    'scopes[0]',
    '"write"',
    'uploads',
  ],
  "an operator's key as a key of an account": [
    () => rest(send('GET', '/v1/uploads', { key: OPERATOR_KEY })),
    'operator',
    'API key',
    'burnish keys',
  ],
  'an unknown value of an enum over GraphQL': [
    () => enhance({ mode: 'enhance' }),
    'input.mode',
    '"enhance"',
    'ENHANCE',
  ],
  'a misspelt field over GraphQL': [() => enhance({ upscaleFactor: 'X2' }), 'input.upscaleFactor', 'upscalingFactor'],
};

const isGeneric = ({ remedy }: Refusal): boolean => remedy === FAILURES.BAD_USER_INPUT.remedy;

test.each(Object.keys(MISTAKES))('%s', async (what) => {
  const [make, ...named] = MISTAKES[what]!;
  const refusal = await make();
  const said = `${refusal.field ?? ''}: ${refusal.detail} ${refusal.remedy}`;
  expect(isGeneric(refusal)).toBe(false);
  for (const each of named) expect(said).toContain(each);
});
