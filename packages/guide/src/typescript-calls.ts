import type { Burnish } from '@burnish/client';
import { readFile, writeFile } from 'node:fs/promises';

/**
 * One call for each operation of REST that the client has a method for. The guide shows the body of the function with the name of
 * the operation. The compiler checks all of them.
 */
export const CALLS = {
  async createUpload(burnish: Burnish) {
    const upload = await burnish.uploads.create('photo.jpg', { enhancements: [{ upscalingFactor: 'X2' }] });
    for await (const event of burnish.uploads.follow(upload.id)) console.log(event.kind);
  },
  async listUploads(burnish: Burnish) {
    for await (const upload of burnish.uploads.list({ status: 'UPLOAD_FINISHED' }))
      console.log(upload.originalFilename);
  },
  async getUpload(burnish: Burnish, id: string) {
    const { status, enhancements } = await burnish.uploads.get(id);
    console.log(status, enhancements.length);
  },
  async deleteUpload(burnish: Burnish, id: string) {
    await burnish.uploads.delete(id);
  },
  async analyzeUpload(burnish: Burnish, id: string) {
    await burnish.uploads.analyze(id, 'password of the PDF');
  },
  async createResumableUpload(burnish: Burnish) {
    // The client sends a file above 8 MB in parts, and continues after a lost connection.
    const onProgress = (sent: number, total: number) => console.log(sent / total);
    await burnish.uploads.create('book.pdf', { onProgress });
  },
  async followUpload(burnish: Burnish, id: string) {
    for await (const event of burnish.uploads.follow(id)) console.log(event.kind);
  },
  async listTimelineEntries(burnish: Burnish, id: string) {
    for await (const entry of burnish.uploads.timeline(id)) console.log(entry);
  },
  async createEnhancements(burnish: Burnish, id: string) {
    const enhancements = await burnish.enhancements.create(id, {
      enhancements: [{ mode: 'ENHANCE', upscalingFactor: 'X2' }],
    });
    console.log(enhancements.map(({ status }) => status));
  },
  async estimateEnhancements(burnish: Burnish, id: string) {
    const estimate = await burnish.enhancements.estimate(id, { enhancements: [{ upscalingFactor: 'X2' }] });
    console.log(estimate);
  },
  async tryEnhancements(burnish: Burnish, id: string) {
    const { enhancements } = await burnish.enhancements.try(id, {
      enhancements: [{ mode: 'NATURAL' }, { mode: 'VIVID' }],
    });
    for (const [index, { picture }] of enhancements.entries())
      await writeFile(`trial-${index}.webp`, Buffer.from(picture, 'base64'));
  },
  async listEnhancements(burnish: Burnish) {
    for await (const { id, status } of burnish.enhancements.list({ status: 'ERROR' })) console.log(id, status);
  },
  async getEnhancement(burnish: Burnish, id: string) {
    const { status, fullUrl } = await burnish.enhancements.get(id);
    console.log(status, fullUrl);
  },
  async approveEnhancement(burnish: Burnish, id: string) {
    await burnish.enhancements.approve(id);
  },
  async rejectEnhancement(burnish: Burnish, id: string) {
    await burnish.enhancements.reject(id);
  },
  async cancelEnhancement(burnish: Burnish, id: string) {
    await burnish.enhancements.cancel(id);
  },
  async listPresets(burnish: Burnish) {
    console.log(await burnish.presets.list());
  },
  async getPreset(burnish: Burnish) {
    console.log(await burnish.presets.get('web'));
  },
  async savePreset(burnish: Burnish) {
    await burnish.presets.save('web', { enhancements: [{ upscalingFactor: 'X2', outputFormat: 'WEBP' }] });
  },
  async deletePreset(burnish: Burnish) {
    await burnish.presets.delete('web');
  },
  async listLooks(burnish: Burnish) {
    console.log(await burnish.looks.list());
  },
  async getLook(burnish: Burnish) {
    console.log(await burnish.looks.get('warm'));
  },
  async tryLook(burnish: Burnish, uploadIds: string[]) {
    console.log(await burnish.looks.try({ pictures: uploadIds.map((finished) => ({ finished })) }));
  },
  async saveLook(burnish: Burnish, uploadIds: string[]) {
    await burnish.looks.build('warm', { pictures: uploadIds.map((finished) => ({ finished })) });
  },
  async deleteLook(burnish: Burnish) {
    await burnish.looks.delete('warm');
  },
  async createBatch(burnish: Burnish) {
    const { id } = await burnish.batches.create({ enhancements: [{ upscalingFactor: 'X2' }], maxCredits: 5000 });
    console.log(id);
  },
  async listBatches(burnish: Burnish) {
    for await (const { id, status } of burnish.batches.list()) console.log(id, status);
  },
  async getBatch(burnish: Burnish, id: string) {
    const { status, counts } = await burnish.batches.get(id);
    console.log(status, counts);
  },
  async addBatchItems(burnish: Burnish, id: string) {
    await burnish.batches.add(id, [{ url: 'https://example.com/photo.jpg', reference: 'order-4711' }]);
  },
  async addBatchPrefix(burnish: Burnish, id: string) {
    await burnish.batches.addPrefix(id, { bucket: 'photos', prefix: 'in/' });
  },
  async closeBatch(burnish: Burnish, id: string) {
    await burnish.batches.close(id);
  },
  async approveBatch(burnish: Burnish, id: string) {
    await burnish.batches.approve(id);
  },
  async pauseBatch(burnish: Burnish, id: string) {
    await burnish.batches.pause(id);
  },
  async cancelBatch(burnish: Burnish, id: string) {
    await burnish.batches.cancel(id);
  },
  async retryBatch(burnish: Burnish, id: string) {
    await burnish.batches.retry(id);
  },
  async resumeBatch(burnish: Burnish, id: string) {
    await burnish.batches.resume(id, { maxCredits: 6000 });
  },
  async getBatchManifest(burnish: Burnish, id: string) {
    for await (const { state, credits } of burnish.batches.manifest(id)) console.log(state, credits);
  },
  async reportUpload(burnish: Burnish, id: string) {
    await writeFile('report.pdf', Buffer.from(await (await burnish.report(id)).arrayBuffer()));
  },
  async reportEnhancement(burnish: Burnish, id: string) {
    await writeFile('proof.pdf', Buffer.from(await (await burnish.report(id)).arrayBuffer()));
  },
  async getCredits(burnish: Burnish) {
    const { remainingCreditsThisPeriod } = await burnish.credits();
    console.log(remainingCreditsThisPeriod);
  },
  async listCreditEntries(burnish: Burnish) {
    for await (const line of burnish.creditEntries()) console.log(line);
  },
  async createWebhook(burnish: Burnish) {
    const { id, secret } = await burnish.webhooks.create({ url: 'https://example.com/hooks' });
    await writeFile(`${id}.secret`, secret ?? '');
  },
  async listWebhooks(burnish: Burnish) {
    for (const { id, url } of await burnish.webhooks.list()) console.log(id, url);
  },
  async getWebhook(burnish: Burnish, id: string) {
    console.log(await burnish.webhooks.get(id));
  },
  async updateWebhook(burnish: Burnish, id: string) {
    await burnish.webhooks.update(id, { enabled: false });
  },
  async deleteWebhook(burnish: Burnish, id: string) {
    await burnish.webhooks.delete(id);
  },
  async redeliverFailedWebhookDeliveries(burnish: Burnish, id: string) {
    const { deliveryIds, more } = await burnish.webhooks.redeliverFailed(id, '2026-01-31T09:30:00Z');
    console.log(deliveryIds.length, more);
  },
  async rotateWebhookSecret(burnish: Burnish, id: string) {
    const { secret } = await burnish.webhooks.rotateSecret(id);
    await writeFile(`${id}.secret`, secret ?? '');
  },
  async testWebhook(burnish: Burnish, id: string) {
    await burnish.webhooks.test(id);
  },
  async followEvents(burnish: Burnish) {
    await burnish.webhooks.listen({}, async ({ event }) => console.log(event));
  },
  async listWebhookDeliveries(burnish: Burnish) {
    for await (const { id, status } of burnish.webhooks.deliveries()) console.log(id, status);
  },
  async redeliverWebhookDelivery(burnish: Burnish, id: string) {
    await burnish.webhooks.redeliver(id);
  },
  async putFile(burnish: Burnish) {
    const json = { filename: 'photo.jpg', filesize: 2_400_000, mimetype: 'image/jpeg' };
    const { uploadUrl } = await burnish.request<{ uploadUrl: string }>('POST', '/v1/uploads/signed', { json });
    const headers = { 'Content-Type': json.mimetype };
    await fetch(uploadUrl, { method: 'PUT', headers, body: await readFile('photo.jpg') });
  },
};
