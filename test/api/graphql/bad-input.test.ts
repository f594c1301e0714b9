import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { useGateway } from '../support/gateway.ts';
import { graphql, refusal } from './support.ts';
import { expectNamed } from '../../support/expect-named.ts';

const gateway = useGateway();
const ids: Record<string, string> = {};
/** All records before the tests, as text: no refused request changes them. */
let untouched = '';
const FOREIGN_ACCOUNT = `acc_${'0'.repeat(26)}`;
const tail = (character: string): string => character.repeat(26);

beforeAll(async () => {
  const pdf = { size: 30_000, sha256: 'cd'.repeat(32), mimetype: 'application/pdf' as const };
  const image = await storedUpload(gateway);
  const foreign = await storedUpload(gateway, { accountId: FOREIGN_ACCOUNT });
  ids['image'] = image.id;
  ids['pdf'] = (await storedUpload(gateway, { file: pdf, subStatus: 'METADATA_ANALYZED_SUCCESSFULLY' })).id;
  ids['foreign'] = foreign.id;
  ids['enhancement'] = (await storedEnhancement(gateway, image)).id;
  ids['foreignEnhancement'] = (await storedEnhancement(gateway, foreign)).id;
  const { webhookEndpoints, apiKeys } = gateway.records;
  ids['foreignWebhook'] = (
    await webhookEndpoints.create(FOREIGN_ACCOUNT, { url: 'https://8.8.8.8/f', events: ['upload.deleted'] })
  ).endpoint.id;
  ids['foreignKey'] = (await apiKeys.list(FOREIGN_ACCOUNT, { includeInternal: true }))[0]!.id;
  untouched = await everything();
});

/** What a refused request must not change: work that was begun, and every record of either account. */
async function everything(): Promise<string> {
  const { records, temporal, account } = gateway;
  const of = (id: string) =>
    Promise.all([
      records.uploads.list(id, { limit: 100 }),
      records.enhancements.list(id, { limit: 100 }),
      records.webhookEndpoints.list(id),
      records.deliveries.list(id, { limit: 100 }),
      records.accounts.get(id),
      records.apiKeys
        .list(id, { includeInternal: true })
        .then((keys) => keys.map(({ lastUsedAt: _at, lastUsedAddress: _from, ...key }) => key)),
    ]);
  const work = [temporal.starts, temporal.updates];
  return JSON.stringify({ work, mine: await of(account.id), theirs: await of(FOREIGN_ACCOUNT) }, undefined, 1);
}

const HUGE = 'x'.repeat(100_000);
const URL_FIELDS = 'id';
const OPERATIONS = {
  upload: 'query ($id: ID!) { upload(id: $id) { id } }',
  enhancedImage: 'query ($id: ID!) { enhancedImage(id: $id) { id } }',
  uploads:
    'query ($first: Int, $after: String, $status: UploadStatus, $reference: String) { uploads(first: $first, after: $after, status: $status, reference: $reference) { nodes { id } } }',
  enhancedImages:
    'query ($first: Int, $after: String, $reference: String) { enhancedImages(first: $first, after: $after, reference: $reference) { nodes { id } } }',
  webhookDeliveries:
    'query ($first: Int, $after: String, $webhookId: ID) { webhookDeliveries(first: $first, after: $after, webhookId: $webhookId) { nodes { id } } }',
  createUploadFromUrl: `mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { ${URL_FIELDS} } }`,
  createSignedUploadUrl:
    'mutation ($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadId } }',
  completeSignedUpload: 'mutation ($id: ID!) { completeSignedUpload(id: $id) { id } }',
  analyzePdf: 'mutation ($id: ID!) { analyzePdf(uploadId: $id) { success } }',
  deleteUploads: 'mutation ($ids: [ID!]!) { deleteUploads(ids: $ids) { deletedUploadIds } }',
  createEnhancedImage:
    'mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) { id } }',
  cancelEnhancement: 'mutation ($id: ID!) { cancelEnhancement(id: $id) { id } }',
  approveEnhancement: 'mutation ($id: ID!) { approveEnhancement(id: $id) { id } }',
  rejectEnhancement: 'mutation ($id: ID!) { rejectEnhancement(id: $id) { id } }',
  updateFileRetention: 'mutation ($days: Int!) { updateFileRetention(days: $days) { uploadRetentionDays } }',
  createWebhook:
    'mutation ($url: String!, $events: [String!]) { createWebhook(url: $url, events: $events) { secret } }',
  updateWebhook: 'mutation ($id: ID!) { updateWebhook(id: $id, enabled: false) { id } }',
  redeliverFailed: 'mutation ($id: ID!) { redeliverFailed(id: $id, since: "2026-01-01T00:00:00Z") { more } }',
  deleteWebhook: 'mutation ($id: ID!) { deleteWebhook(id: $id) { deletedId } }',
  rotateWebhookSecret: 'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }',
  testWebhook: 'mutation ($id: ID!) { testWebhook(id: $id) { id } }',
  redeliverWebhook: 'mutation ($id: ID!) { redeliverWebhook(id: $id) { id } }',
  createApiKey: 'mutation ($name: String!) { createApiKey(name: $name) { key } }',
  deleteApiKey: 'mutation ($id: ID!) { deleteApiKey(id: $id) { deletedId } }',
};
type Operation = keyof typeof OPERATIONS;

async function expectRefusal(
  operation: Operation,
  variables: Record<string, unknown>,
  code: string,
  field?: string,
): Promise<void> {
  const answer = await graphql(gateway, OPERATIONS[operation], { variables });
  const what = JSON.stringify([variables, answer.errors]).slice(0, 2_000);
  expectNamed([refusal(answer), answer.data?.[operation] ?? null], what).toEqual([[code, field], null]);
  expect(JSON.stringify(answer.errors).length).toBeLessThan(1500);
}

afterEach(() => {
  // Nothing of what callers send may come as an error of ours.
  expect(gateway.logged()).not.toContain('operation failed');
});

/** Operations on one record, with the prefix of its id and a record of another account. */
const BY_ID: [Operation, string, string | undefined][] = [
  ['upload', 'upl', 'foreign'],
  ['enhancedImage', 'enh', 'foreignEnhancement'],
  ['completeSignedUpload', 'upl', 'foreign'],
  ['analyzePdf', 'upl', 'foreign'],
  ['cancelEnhancement', 'enh', 'foreignEnhancement'],
  ['approveEnhancement', 'enh', 'foreignEnhancement'],
  ['rejectEnhancement', 'enh', 'foreignEnhancement'],
  ['updateWebhook', 'whk', 'foreignWebhook'],
  ['redeliverFailed', 'whk', 'foreignWebhook'],
  ['deleteWebhook', 'whk', 'foreignWebhook'],
  ['rotateWebhookSecret', 'whk', 'foreignWebhook'],
  ['testWebhook', 'whk', 'foreignWebhook'],
  ['redeliverWebhook', 'dlv', undefined],
  ['deleteApiKey', 'key', 'foreignKey'],
];

test.each(BY_ID)(
  '%s returns null for an id of nothing, and for one of another account',
  async (operation, prefix, foreign) => {
    for (const id of [`${prefix}_${tail('7')}`, `${prefix}_${'7'.repeat(25)}\0`])
      await expectRefusal(operation, { id }, 'NOT_FOUND');
    if (foreign !== undefined) await expectRefusal(operation, { id: ids[foreign] }, 'NOT_FOUND');
  },
);

test.each(['zzz_7', '', 'upl_\ud800', `upl_${tail('é')}`, '../../etc/passwd', 7, HUGE])(
  'an id may be anything: %j',
  async (id) => await expectRefusal('upload', { id }, 'NOT_FOUND'),
);

test.each([{}, { id: null }, { id: ['a', 'b'] }, { id: { a: 1 } }, { id: 1.5 }])(
  'an id of another type is refused: %j',
  async (variables) => await expectRefusal('upload', variables, 'BAD_USER_INPUT', 'id'),
);

describe.each(['uploads', 'enhancedImages', 'webhookDeliveries'] as const)('%s', (operation) => {
  test.each([
    ['first of 0', { first: 0 }, 'first'],
    ['first of 101', { first: 101 }, 'first'],
    ['a text for first', { first: '5' }, 'first'],
    ['a cursor with a null byte', { after: '\0' }, 'after'],
    ['a huge cursor', { after: HUGE }, 'after'],
    ['a cursor of another list', { after: Buffer.from('[5]').toString('base64url') }, 'after'],
  ])('refuses %s', (_what, variables, field) => expectRefusal(operation, variables, 'BAD_USER_INPUT', field));
});

test.each([
  ['uploads', '\0'],
  ['enhancedImages', 'x'.repeat(201)],
] as const)('%s refuses the reference %j', (operation, reference) =>
  expectRefusal(operation, { reference }, 'BAD_USER_INPUT', 'reference'),
);

test('uploads refuses an unknown state', () =>
  expectRefusal('uploads', { status: 'DONE' }, 'BAD_USER_INPUT', 'status'));
test('webhookDeliveries returns nothing for a malformed id', () =>
  expectRefusal('webhookDeliveries', { webhookId: '\0' }, 'NOT_FOUND'));

// The inputs are the schemas of REST, whose tests try the bounds of each field.
const JPG = 'http://8.8.8.8/a.jpg';
describe('createUploadFromUrl', () => {
  test.each([
    ['no input', undefined, 'input'],
    ['no address', {}, 'input.url'],
    ['null for the address', { url: null }, 'input.url'],
    ['a number for the address', { url: 5 }, 'input.url'],
    ['no address at all', { url: 'photo.jpg' }, 'input.url'],
    ['a field that does not exist', { url: JPG, colour: 'red' }, 'input.colour'],
    ['a name with a line break', { url: JPG, filename: 'a\nb.jpg' }, 'input.filename'],
    ['21 enhancements', { url: JPG, enhancements: Array.from({ length: 21 }, () => ({})) }, 'input.enhancements'],
    [
      'an enhancement out of range',
      { url: JPG, enhancements: [{}, { sharpening: 2 }] },
      'input.enhancements[1].sharpening',
    ],
    ['a wait of 31 days', { url: JPG, creditWait: 31 * 86_400 }, 'input.creditWait'],
  ])('refuses %s', (_what, input, field) => expectRefusal('createUploadFromUrl', { input }, 'BAD_USER_INPUT', field));

  test.each([
    [{ url: 'http://127.0.0.1/a.jpg' }, 'URL_NOT_ALLOWED', 'input.url'],
    [{ url: JPG, webhookUrl: 'http://127.0.0.1/' }, 'URL_NOT_ALLOWED', 'input.webhookUrl'],
    [
      { url: JPG, enhancements: [{ targetResolution: 601 }] },
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'input.enhancements[0].targetResolution',
    ],
  ])('refuses %j with its own code', (input, code, field) =>
    expectRefusal('createUploadFromUrl', { input }, code, field),
  );
});

describe('createSignedUploadUrl', () => {
  const file = { filename: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg' };
  test.each([
    ['no file name', { ...file, filename: undefined }, 'BAD_USER_INPUT', 'input.filename'],
    ['a size of 32 bits and more', { ...file, filesize: 2 ** 31 }, 'BAD_USER_INPUT', 'input.filesize'],
    ['an image of 19,999 bytes', { ...file, filesize: 19_999 }, 'FILE_TOO_SMALL', 'input.filesize'],
    ['an image of 50,000,001 bytes', { ...file, filesize: 50_000_001 }, 'FILE_TOO_LARGE', 'input.filesize'],
    ['a type with a null byte', { ...file, mimetype: 'image/jpeg\0' }, 'UNSUPPORTED_MEDIA_TYPE', 'input.mimetype'],
  ])('refuses %s', (_what, input, code, field) => expectRefusal('createSignedUploadUrl', { input }, code, field));
});

// test/domain/parameter-table.test.ts tries the bounds and the type of each parameter.
describe('createEnhancedImage', () => {
  test.each([
    ['a mode that does not exist', { mode: 'LOUD' }, 'input.mode'],
    ['a text for a Decimal', { sharpening: '0.5' }, 'input.sharpening'],
    ['a text for a boolean', { keepMetadata: 'yes' }, 'input.keepMetadata'],
    ['a parameter of PDFs', { targetResolution: 300 }, 'input.targetResolution'],
    ['colours of PDFs', { customColorConfig: { gamma: 0.5 } }, 'input.customColorConfig'],
    ['signatures of PDFs', { pdf: { allowBreakingSignatures: true } }, 'input.pdf.allowBreakingSignatures'],
    ['the way that PDFs are written', { pdf: { compact: true } }, 'input.pdf.compact'],
    ['pages to split', { mode: 'DOCUMENT', pdf: { split: true } }, 'input.pdf.split'],
    ['an unknown option of PDFs', { pdf: { packed: true } }, 'input.pdf.packed'],
    ['a field that does not exist', { nothing: 1 }, 'input.nothing'],
    ['a list for the input', [{}, {}], 'input'],
    ['credits that are too many', { maxCredits: 2_000_000_000 }, 'input.maxCredits'],
  ])('refuses for an image %s', (_what, input, field) =>
    expectRefusal('createEnhancedImage', { id: ids['image'], input }, 'BAD_USER_INPUT', field),
  );

  test.each([
    ['a parameter of images', { mode: 'ENHANCE' }, 'BAD_USER_INPUT', 'input.mode'],
    [
      'a resolution over every plan',
      { targetResolution: 1201 },
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'input.targetResolution',
    ],
    [
      'a resolution over the plan',
      { targetResolution: 600.5 },
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'input.targetResolution',
    ],
    [
      'a colour above 1',
      { customColorConfig: { brightness: 1.5 } },
      'BAD_USER_INPUT',
      'input.customColorConfig.brightness',
    ],
    [
      'a colour that does not exist',
      { customColorConfig: { hue: 0 } },
      'BAD_USER_INPUT',
      'input.customColorConfig.hue',
    ],
    ['split pages without mode DOCUMENT', { pdf: { split: true } }, 'BAD_USER_INPUT', 'input.pdf.split'],
  ])('refuses for a PDF %s', (_what, input, code, field) =>
    expectRefusal('createEnhancedImage', { id: ids['pdf'], input }, code, field),
  );

  test.each([
    ['unknown', () => `upl_${tail('7')}`],
    ['of another account', () => ids['foreign']],
    ['a null byte', () => '\0'],
  ])('returns null for an upload that is %s', (_what, id) =>
    expectRefusal('createEnhancedImage', { id: id(), input: {} }, 'NOT_FOUND'),
  );
});

describe('deleteUploads', () => {
  test.each([
    ['no ids', {}, 'ids'],
    ['null', { ids: null }, 'ids'],
    ['a null among them', { ids: [null] }, 'ids[0]'],
    ['an object among them', { ids: ['a', {}] }, 'ids[1]'],
  ])('refuses %s', (_what, variables, field) => expectRefusal('deleteUploads', variables, 'BAD_USER_INPUT', field));

  test('refuses 101 ids', () =>
    expectRefusal(
      'deleteUploads',
      { ids: Array.from({ length: 101 }, (_, i) => `upl_${i}`) },
      'BAD_USER_INPUT',
      'ids',
    ));

  test('skips ids that are unknown, foreign or malformed, and deletes nothing of other accounts', async () => {
    const given = [`upl_${tail('7')}`, ids['foreign'], '', '\0', '\ud800', HUGE.slice(0, 50_000), '../x'];
    const answer = await graphql(gateway, OPERATIONS.deleteUploads, { variables: { ids: given } });
    expect([answer.errors, answer.data]).toEqual([undefined, { deleteUploads: { deletedUploadIds: [] } }]);
  });
});

describe('mutations of the account', () => {
  test.each([
    ['0 days', 0, 'days'],
    ['366 days', 366, 'days'],
    ['a text', '30', 'days'],
    ['null', null, 'days'],
  ])('updateFileRetention refuses %s', (_what, days, field) =>
    expectRefusal('updateFileRetention', { days }, 'BAD_USER_INPUT', field),
  );

  test.each([
    ['no address', {}, 'BAD_USER_INPUT', 'url'],
    ['a word in place of an address', { url: 'nowhere' }, 'BAD_USER_INPUT', 'url'],
    ['a private address', { url: 'https://127.0.0.1/' }, 'URL_NOT_ALLOWED', 'url'],
    ['a null byte', { url: 'https://8.8.8.8/\0' }, 'BAD_USER_INPUT', 'url'],
    [
      'an event that does not exist',
      { url: 'https://8.8.8.8/', events: ['upload.exploded'] },
      'BAD_USER_INPUT',
      'events[0]',
    ],
    ['no events', { url: 'https://8.8.8.8/', events: [] }, 'BAD_USER_INPUT', 'events'],
  ])('createWebhook refuses %s', (_what, variables, code, field) =>
    expectRefusal('createWebhook', variables, code, field),
  );

  test.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a null byte', { name: 'a\0' }, 'name'],
    ['a huge name', { name: HUGE }, 'name'],
    ['a number', { name: 5 }, 'name'],
  ])('createApiKey refuses %s', (_what, variables, field) =>
    expectRefusal('createApiKey', variables, 'BAD_USER_INPUT', field),
  );
});

// Last: what was refused above changed nothing.
test('a refused request changes no record and begins no work', async () => {
  expect(await everything()).toBe(untouched);
});
