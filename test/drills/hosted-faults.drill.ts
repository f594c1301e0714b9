import { describe, expect, it } from '@jest/globals';
import { pdfWithPhoto, photo } from '../e2e/files.ts';
import { until } from '../support/until.ts';
import { enhanceThere, hostedUploadOf, useBothSides } from '../hosted/both-sides.ts';
import type { Fault } from '../hosted/fault-proxy.ts';

/**
 * All faults between Burnish and a hosted service. After each fault, the state is right, and both ledgers balance. Each
 * requested enhancement leads to one hosted enhancement. docs/hosted.md sums them up.
 */
describe('faults between Burnish and the hosted service', () => {
  const sides = useBothSides({ BURNISH_HOSTED_FALLBACK_AFTER: '3s' });
  let seed = 1000;
  /** Makes a file that no other test has sent, so that Burnish reuses no result. */
  const newPhoto = () => photo((seed += 1));

  const once = (operation: string, fault: Fault, times = 1) => [operation, fault, times] as const;
  const away: Fault = { kind: 'status', status: 500 };
  const busy: Fault = { kind: 'status', status: 429, headers: { 'retry-after': '1' } };

  const mended: [string, ReturnType<typeof once>][] = [
    ['the credits query finds the service away', once('Credits', away, 2)],
    ['the credits query is told to come later', once('Credits', busy)],
    ['the credits query gets half an answer', once('Credits', { kind: 'cut' })],
    ['the retention is set and the answer lost', once('UpdateFileRetention', { kind: 'drop' })],
    ['a signed upload is created and the answer lost', once('CreateSignedUploadUrl', { kind: 'drop' })],
    ['a signed upload is created and half the answer comes', once('CreateSignedUploadUrl', { kind: 'cut' })],
    ['a signed upload cannot be created at first', once('CreateSignedUploadUrl', away)],
    ['the file breaks off on its way', once('PutFile', { kind: 'reset' })],
    ['the file arrives and the answer is lost', once('PutFile', { kind: 'drop' })],
    ['the file is refused at first', once('PutFile', away)],
    ['the file arrives twice', once('PutFile', { kind: 'double' })],
    ['the upload is completed and the answer lost', once('CompleteSignedUpload', { kind: 'drop' })],
    ['the upload cannot be completed at first', once('CompleteSignedUpload', away)],
    ['the upload cannot be read at first', once('Upload', away, 2)],
    ['the upload is read and half the answer comes', once('Upload', { kind: 'cut' })],
    ['the upload is in a state that nobody knows', once('Upload', upload('UPLOAD_POLISHING'))],
    ['the enhancement begins and the answer is lost', once('CreateEnhancedImage', { kind: 'drop' })],
    ['the enhancement begins and half the answer comes', once('CreateEnhancedImage', { kind: 'cut' })],
    ['the enhancement begins and the answer makes no sense', once('CreateEnhancedImage', answer('<html>hello</html>'))],
    ['the enhancement begins and the answer has no id', once('CreateEnhancedImage', answer('{"data":{}}'))],
    ['the enhancement may begin later', once('CreateEnhancedImage', busy)],
    ['the answer to the beginning comes after the webhook', once('CreateEnhancedImage', { kind: 'slow', ms: 3_000 })],
    ['the enhancement cannot be read at first', once('EnhancedImage', away, 2)],
    ['the enhancement is read and half the answer comes', once('EnhancedImage', { kind: 'cut' })],
    ['the enhancement is in a state that nobody knows', once('EnhancedImage', enhancement('POLISHING'))],
    ['the result breaks off in the middle', once('DownloadFile', { kind: 'cut' })],
    ['the result never comes', once('DownloadFile', { kind: 'drop' })],
    ['the result is another file', once('DownloadFile', answer('not a picture at all'))],
    ['the result cannot be had at first', once('DownloadFile', away)],
  ];
  it.each(mended)('%s: the upload is enhanced once and paid once', async (_, [operation, fault, times]) => {
    sides.far.proxy.next(operation, fault, times);
    // Burnish sets the retention only when it changes.
    const order = operation === 'UpdateFileRetention' ? await otherRetention() : {};
    const { enhancement, hosted, credits } = await enhanceThere(sides, await newPhoto(), order);
    expect(enhancement).toMatchObject({ status: 'FINISHED', provider: 'HOSTED' });
    expect(hosted).toHaveLength(1);
    expect(credits).toEqual({ near: 1, far: 1, held: 0 });
  });

  const webhooks: [string, Fault, number][] = [
    ['is lost', { kind: 'status', status: 204 }, 9],
    ['comes twice', { kind: 'double' }, 9],
    ['comes late', { kind: 'delay', ms: 4_000 }, 1],
  ];
  it.each(webhooks)('a webhook %s: the upload is enhanced once and paid once', async (_, fault, times) => {
    sides.near.webhooks.next('Webhook', fault, times);
    const { enhancement, hosted, credits } = await enhanceThere(sides, await newPhoto());
    expect(enhancement).toMatchObject({ status: 'FINISHED' });
    expect(hosted).toHaveLength(1);
    expect(credits).toEqual({ near: 1, far: 1, held: 0 });
  });

  it('a forged webhook is refused and changes nothing', async () => {
    const { enhancement, credits } = await enhanceThere(sides, await newPhoto(), {}, async () => {
      const forged = JSON.stringify({ id: 'evt_forged', event: 'enhanced_image.status_update', data: { id: 'x' } });
      const { status } = await fetch(sides.near.webhookUrl, { method: 'POST', body: forged });
      // The status is 403 and not 401, because no API key would help.
      expect(status).toBe(403);
    });
    expect(enhancement).toMatchObject({ status: 'FINISHED' });
    expect(credits).toEqual({ near: 1, far: 1, held: 0 });
  });

  it('a failed analysis of a PDF is repeated at the service', async () => {
    const failed = { id: 'x', status: 'UPLOAD_FINISHED', subStatus: 'METADATA_ANALYZED_FAILED' };
    sides.far.proxy.next('Upload', {
      kind: 'replace',
      status: 200,
      body: JSON.stringify({ data: { upload: failed } }),
    });
    const { upload, hosted } = await enhanceThere(sides, await pdfWithPhoto(480, 360, (seed += 1)));
    expect(upload).toMatchObject({ subStatus: 'METADATA_ANALYZED_SUCCESSFULLY' });
    expect(upload.enhancements[0]).toMatchObject({ status: 'FINISHED' });
    expect(hosted).toHaveLength(1);
  });

  it('a failed enhancement at the service fails locally with its code, and costs nothing locally', async () => {
    sides.far.proxy.next('EnhancedImage', enhancement('ERROR', 'CORRUPT_FILE'));
    const { enhancement: made, credits } = await enhanceThere(sides, await newPhoto());
    expect(made).toMatchObject({ status: 'ERROR', errorCode: 'CORRUPT_FILE' });
    expect(credits).toMatchObject({ near: 0, held: 0 });
  });

  it('an unavailable service is retried', async () => {
    await sides.far.proxy.down();
    const { enhancement, hosted, credits } = await enhanceThere(sides, await newPhoto(), {}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      await sides.far.proxy.up();
    });
    expect(enhancement).toMatchObject({ status: 'FINISHED', provider: 'HOSTED' });
    expect(hosted).toHaveLength(1);
    expect(credits).toEqual({ near: 1, far: 1, held: 0 });
  });

  it('a service that stays unavailable is replaced by the local engine if fallback is on', async () => {
    await sides.far.proxy.down();
    try {
      const before = await sides.near.instance.api.credits();
      const order = { enhancements: [{}], fallback: 'LOCAL' };
      const { body } = await sides.near.instance.api.upload(await newPhoto(), order);
      const upload = await sides.near.instance.api.settled(body.id);
      expect(upload.enhancements[0]).toMatchObject({ status: 'FINISHED', provider: 'LOCAL' });
      expect((await sides.near.instance.api.credits()).used - before.used).toBe(1);
    } finally {
      await sides.far.proxy.up();
    }
  });

  it('a local deletion deletes at the service', async () => {
    const { upload } = await enhanceThere(sides, await newPhoto());
    expect(await hostedUploadOf(sides.far, upload.id)).toBeDefined();
    sides.far.proxy.next('DeleteUploads', { kind: 'drop' });
    await sides.near.instance.api.call('DELETE', `/v1/uploads/${upload.id}`);
    await until(async () => ((await hostedUploadOf(sides.far, upload.id)) === undefined ? true : undefined));
  });

  const steps = ['CreateSignedUploadUrl', 'PutFile', 'CreateEnhancedImage', 'EnhancedImage', 'DownloadFile'];
  it.each(steps)(
    'kill -9 of all local processes during %s: the upload is enhanced once and paid once',
    async (operation) => {
      const before = sides.far.proxy.calls.length;
      sides.far.proxy.next(operation, { kind: 'slow', ms: 2_000 });
      const { enhancement, hosted, credits } = await enhanceThere(sides, await newPhoto(), {}, async () => {
        await until(() =>
          sides.far.proxy.calls.slice(before).some((call) => call.operation === operation) ? true : undefined,
        );
        await sides.near.killAndRestart();
      });
      expect(enhancement).toMatchObject({ status: 'FINISHED' });
      expect(hosted).toHaveLength(1);
      expect(credits).toEqual({ near: 1, far: 1, held: 0 });
    },
  );

  async function otherRetention(): Promise<Record<string, unknown>> {
    await sides.near.instance.api.call('PATCH', '/v1/settings', { body: { uploadRetentionDays: 17 } });
    return {};
  }
});

function answer(body: string): Fault {
  return { kind: 'replace', status: 200, body };
}

function upload(status: string): Fault {
  return answer(JSON.stringify({ data: { upload: { id: 'x', status, subStatus: null } } }));
}

function enhancement(status: string, errorCode: string | null = null): Fault {
  return answer(JSON.stringify({ data: { enhancedImage: { id: 'x', status, fullUrl: null, errorCode } } }));
}
