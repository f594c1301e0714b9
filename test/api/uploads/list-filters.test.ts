import { beforeAll, expect, test } from '@jest/globals';
import type { Upload } from '@burnish/contract';
import { type EnhancementRequest, initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
let upload: Upload;
let labelled: string;

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `${day}T00:00:00.000Z`);

beforeAll(async () => {
  for (const createdAt of DAYS) upload = await storedUpload(gateway, { createdAt });
  await storedUpload(gateway, { createdAt: '2025-12-01T00:00:00.000Z', status: 'UPLOAD_FAILED' });
  for (const createdAt of DAYS) await storedEnhancement(gateway, upload, { createdAt });
  await storedEnhancement(gateway, upload, { createdAt: DAYS[0]!, status: 'ERROR' });
  gateway.temporal.onUpdate = ({ args }) =>
    (args[0] as EnhancementRequest[]).map((each) => initialEnhancement(each, upload, new Date().toISOString()));
  const body = { enhancements: [{ mode: 'OFF', reference: 'r-1' }] };
  labelled = (await (await send('POST', `/v1/uploads/${upload.id}/enhancements`, { body })).json()).enhancements[0].id;
});

interface Item {
  id: string;
  createdAt: string;
  status: string;
}
async function list(path: string): Promise<Item[]> {
  const response = await send('GET', path);
  expect(response.status).toBe(200);
  return (await response.json()).items;
}
const days = (items: Item[]): string[] => items.map(({ createdAt }) => createdAt);

test.each(['/v1/uploads?', '/v1/enhancements?status=QUEUED&'])(
  '%s includes the time of createdAfter and excludes that of createdBefore',
  async (path) => {
    const between = `createdAfter=${DAYS[1]}&createdBefore=${DAYS[2]}`;
    expect(days(await list(`${path}${between}`))).toEqual([DAYS[1]]);
    // The same moment in another time zone.
    expect(
      days(await list(`${path}createdAfter=2026-01-02T02:00:00%2B02:00&createdBefore=2026-01-04T00:00:00Z`)),
    ).toEqual([DAYS[2], DAYS[1]]);
  },
);

test('enhancements are listed by status and by reference', async () => {
  const failed = await list('/v1/enhancements?status=ERROR');
  expect(failed.map(({ status }) => status)).toEqual(['ERROR']);
  expect((await list('/v1/enhancements?reference=r-1')).map(({ id }) => id)).toEqual([labelled]);
  expect(await list('/v1/enhancements?reference=r-1&status=ERROR')).toEqual([]);
  expect(await list('/v1/enhancements?reference=r')).toEqual([]);
});

test('enhancements are listed by upload', async () => {
  const other = await storedUpload(gateway);
  const { id } = await storedEnhancement(gateway, other);
  expect((await list(`/v1/enhancements?uploadId=${other.id}`)).map((each) => each.id)).toEqual([id]);
  const ofUpload = await list(`/v1/enhancements?uploadId=${upload.id}`);
  expect(days(ofUpload)).toEqual(expect.arrayContaining(DAYS));
  expect(ofUpload.map((each) => each.id)).not.toContain(id);
  expect(await list(`/v1/enhancements?uploadId=${other.id}&status=ERROR`)).toEqual([]);
  const foreign = await send('GET', `/v1/enhancements?uploadId=${other.id}`, { key: gateway.foreignKey });
  expect((await foreign.json()).items).toEqual([]);
  const malformed = await send('GET', '/v1/enhancements?uploadId=upl_1');
  expect([malformed.status, (await malformed.json()).field]).toEqual([400, 'uploadId']);
  const query = `{ enhancedImages(uploadId: "${other.id}") { nodes { id } } }`;
  const { data } = await (await send('POST', '/graphql', { body: { query } })).json();
  expect(data.enhancedImages.nodes).toEqual([{ id }]);
});

test('a filter is part of the link to the next page', async () => {
  const response = await send('GET', `/v1/uploads?limit=1&createdBefore=${DAYS[2]}&status=UPLOAD_FINISHED`);
  const { next } = await response.json();
  expect(response.headers.get('link')).toContain('createdBefore=');
  const second = await list(`/v1/uploads?limit=1&createdBefore=${DAYS[2]}&status=UPLOAD_FINISHED&after=${next}`);
  expect(days(second)).toEqual([DAYS[0]]);
});

test('GraphQL filters lists as REST does', async () => {
  const query = `query($after: DateTime) {
    uploads(status: UPLOAD_FINISHED, createdAfter: $after, createdBefore: "2026-01-03T00:00:00Z") { nodes { createdAt } }
    enhancedImages(status: QUEUED, reference: "r-1") { nodes { id reference } }
  }`;
  const response = await send('POST', '/graphql', { body: { query, variables: { after: DAYS[1] } } });
  expect((await response.json()).data).toEqual({
    uploads: { nodes: [{ createdAt: DAYS[1] }] },
    enhancedImages: { nodes: [{ id: labelled, reference: 'r-1' }] },
  });
});

test.each([
  'createdAfter=yesterday',
  'createdBefore=2026-01-01',
  'createdAfter=0000-01-01T00:00:00Z',
  'createdBefore=9999-12-31T23:59:59-01:00',
  'status=DONE',
  `reference=${'x'.repeat(201)}`,
])('the invalid filter %s is refused by name', async (filter) => {
  for (const path of ['/v1/uploads', '/v1/enhancements']) {
    const response = await send('GET', `${path}?${filter}`);
    const { field } = await response.json();
    expect([response.status, field]).toEqual([400, filter.split('=')[0]]);
  }
});

test.each(['yesterday', '0000-01-01T00:00:00Z'])('an invalid time is refused by GraphQL: %s', async (time) => {
  const query = `{ uploads(createdAfter: "${time}") { nodes { id } } }`;
  const { errors } = await (await send('POST', '/graphql', { body: { query } })).json();
  expect(errors[0].message).toContain('no DateTime');
});
