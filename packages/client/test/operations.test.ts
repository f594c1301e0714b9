import { expect, test } from '@jest/globals';
import { Burnish } from '../src/burnish.ts';
import { findOperation } from '../../../test/support/described-operations.ts';

/** The declared operation of each request, with its query. */
function recorder() {
  const called: string[] = [];
  const fetch = (async (address: string, { method }: { method: string }) => {
    const { pathname, searchParams } = new URL(address);
    const found = findOperation(method, pathname);
    called.push(found?.operationId ?? `${method} ${pathname}`);
    const known = (found?.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining([...searchParams.keys()]));
    const answer = { id: 'upl_1', items: [{}], next: null, fullUrl: 'http://localhost/files/a/b.jpg' };
    // With an end of the line, as in a manifest.
    return new Response(`${JSON.stringify(answer)}\n`);
  }) as unknown as typeof globalThis.fetch;
  return { burnish: new Burnish({ baseUrl: 'http://localhost', apiKey: 'key', fetch }), called };
}

const filter = {
  limit: 5,
  reference: 'order',
  createdAfter: '2026-01-01T00:00:00Z',
  createdBefore: '2026-02-01T00:00:00Z',
};
const labels = {
  reference: 'order',
  customMetadata: { a: 1 },
  maxCredits: 9,
  creditWait: 0,
  priority: 'BATCH',
} as const;

test.each([
  ['a small file', new Blob(['a'])],
  ['a large file', new Blob([new Uint8Array(16_000_000)], { type: 'image/png' })],
  ['a file by URL', new URL('http://localhost/a.jpg')],
])('the client reports the id of %s once', async (_, source) => {
  const { burnish } = recorder();
  const created: string[] = [];
  await burnish.uploads.create(source, { filename: 'a.png', onCreated: (id) => created.push(id) });
  expect(created).toEqual(['upl_1']);
});

test.each<[string[], (burnish: Burnish) => Promise<unknown> | AsyncGenerator<unknown>]>([
  [
    ['createUpload'],
    ({ uploads }) => uploads.create(new Blob(['a']), { filename: 'a.jpg', enhancements: [{}], ...labels }),
  ],
  [['createUpload'], ({ uploads }) => uploads.create(new URL('http://localhost/a.jpg'), labels)],
  [
    ['createResumableUpload', 'appendToResumableUpload', 'getUpload'],
    ({ uploads }) => uploads.create(new Blob([new Uint8Array(8_000_001)]), { filename: 'a.png' }),
  ],
  [['getUpload'], ({ uploads }) => uploads.get('upl_1')],
  [['listUploads'], ({ uploads }) => uploads.list({ ...filter, status: 'UPLOAD_FAILED' })],
  [['deleteUpload'], ({ uploads }) => uploads.delete('upl_1')],
  [['analyzeUpload'], ({ uploads }) => uploads.analyze('upl_1', 'secret')],
  [['listTimelineEntries'], ({ uploads }) => uploads.timeline('upl_1', { limit: 5 })],
  [
    ['createEnhancements'],
    ({ enhancements }) => enhancements.create('upl_1', { enhancements: [{ mode: 'VIVID', ...labels }] }),
  ],
  [
    ['estimateEnhancements'],
    ({ enhancements }) => enhancements.estimate('upl_1', { enhancements: [{ mode: 'VIVID' }] }),
  ],
  [['tryEnhancements'], ({ enhancements }) => enhancements.try('upl_1', { enhancements: [{ mode: 'VIVID' }] })],
  [['getEnhancement'], ({ enhancements }) => enhancements.get('enh_1')],
  [['listEnhancements'], ({ enhancements }) => enhancements.list({ ...filter, status: 'ERROR' })],
  [['approveEnhancement'], ({ enhancements }) => enhancements.approve('enh_1')],
  [['rejectEnhancement'], ({ enhancements }) => enhancements.reject('enh_1')],
  [['cancelEnhancement'], ({ enhancements }) => enhancements.cancel('enh_1')],
  [['getEnhancement', 'downloadFile'], ({ enhancements }) => enhancements.download('enh_1')],
  [['reportUpload'], (burnish) => burnish.report('upl_1')],
  [['reportEnhancement'], (burnish) => burnish.report('enh_1')],
  [['getCredits'], (burnish) => burnish.credits()],
  [['listCreditEntries'], (burnish) => burnish.creditEntries({ limit: 5 })],
  [['savePreset'], ({ presets }) => presets.save('web', { enhancements: [{ upscalingFactor: 'X2' }] })],
  [['getPreset'], ({ presets }) => presets.get('web@3')],
  [['listPresets'], ({ presets }) => presets.list()],
  [['deletePreset'], ({ presets }) => presets.delete('web')],
  [['createBatch'], ({ batches }) => batches.create({ enhancements: [{}], samples: 0 })],
  [['getBatch'], ({ batches }) => batches.get('bat_1')],
  [['listBatches'], ({ batches }) => batches.list({ limit: 5 })],
  [['addBatchItems'], ({ batches }) => batches.add('bat_1', [{ url: 'http://localhost/a.jpg' }])],
  [['addBatchPrefix'], ({ batches }) => batches.addPrefix('bat_1', { bucket: 'photos', prefix: 'in/' })],
  [['closeBatch'], ({ batches }) => batches.close('bat_1')],
  [['approveBatch'], ({ batches }) => batches.approve('bat_1')],
  [['pauseBatch'], ({ batches }) => batches.pause('bat_1')],
  [['resumeBatch'], ({ batches }) => batches.resume('bat_1', { maxCredits: 9 })],
  [['cancelBatch'], ({ batches }) => batches.cancel('bat_1')],
  [['retryBatch'], ({ batches }) => batches.retry('bat_1')],
  [['getBatchManifest'], ({ batches }) => batches.manifest('bat_1')],
  [['listBatchItems'], ({ batches }) => batches.items('bat_1', { state: 'FAILED' })],
  [['createWebhook'], ({ webhooks }) => webhooks.create({ url: 'https://example.com' })],
  [['getWebhook'], ({ webhooks }) => webhooks.get('whk_1')],
  [['listWebhooks'], ({ webhooks }) => webhooks.list()],
  [['updateWebhook'], ({ webhooks }) => webhooks.update('whk_1', { enabled: false })],
  [['deleteWebhook'], ({ webhooks }) => webhooks.delete('whk_1')],
  [['rotateWebhookSecret'], ({ webhooks }) => webhooks.rotateSecret('whk_1')],
  [['testWebhook'], ({ webhooks }) => webhooks.test('whk_1')],
  [['redeliverFailedWebhookDeliveries'], ({ webhooks }) => webhooks.redeliverFailed('whk_1', '2026-01-01T00:00:00Z')],
  [
    ['listWebhookDeliveries'],
    ({ webhooks }) => webhooks.deliveries({ limit: 5, webhookId: 'whk_1', status: 'FAILED' }),
  ],
  [['getWebhookDelivery'], ({ webhooks }) => webhooks.delivery('whd_1')],
  [['redeliverWebhookDelivery'], ({ webhooks }) => webhooks.redeliver('whd_1')],
])('the client calls %j, with parameters that it declares', async (operations, ask) => {
  const { burnish, called } = recorder();
  const asked = ask(burnish);
  if (Symbol.asyncIterator in asked) await asked.next();
  else await asked;
  expect(called).toEqual(operations);
});
