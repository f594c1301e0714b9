import { describe, expect, test } from '@jest/globals';
import { useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { graphql, refusal } from './support.ts';

const gateway = useGateway({ assertAllowedEndpoint: () => undefined });

describe('the field names of the public service', () => {
  test('register, read and delete a webhook', async () => {
    const create = `mutation { createWebhook(input: { url: "https://example.com/hook" }) { id url secret createdAt } }`;
    const { createWebhook: made } = (await graphql(gateway, create)).data;
    expect(made).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: 'https://example.com/hook',
      secret: expect.stringMatching(/^whsec_/),
      createdAt: expect.any(String),
    });
    const read = await graphql(gateway, `{ webhook(id: "${made.id}") { id url secret createdAt } }`);
    expect(read.data.webhook).toEqual({ ...made, secret: null });
    const remove = await graphql(gateway, `mutation { deleteWebhook(id: "${made.id}") { success } }`);
    expect(remove.data).toEqual({ deleteWebhook: { success: true } });
    expect(refusal(await graphql(gateway, `{ webhook(id: "${made.id}") { id } }`))?.[0]).toBe('NOT_FOUND');
  });

  test('set and show the format of a webhook', async () => {
    const create = `mutation { createWebhook(input: { url: "https://example.com/p", format: PUBLIC }) { webhook { id format } } }`;
    const { webhook } = (await graphql(gateway, create)).data.createWebhook;
    expect(webhook.format).toBe('PUBLIC');
    const change = `mutation { updateWebhook(id: "${webhook.id}", format: BURNISH) { format } }`;
    expect((await graphql(gateway, change)).data.updateWebhook).toEqual({ format: 'BURNISH' });
  });

  test('can be used for a webhook instead of those of the contract, but not together', async () => {
    const url = 'https://example.com/other';
    const named = await graphql(gateway, `mutation { createWebhook(url: "${url}") { webhook { id url } secret } }`);
    expect(named.data.createWebhook.webhook.url).toBe(url);
    const both = await graphql(gateway, `mutation { createWebhook(url: "${url}", input: { url: "${url}" }) { id } }`);
    expect(refusal(both)).toEqual(['BAD_USER_INPUT', 'input']);
    const none = await graphql(gateway, 'mutation { createWebhook { id } }');
    expect(refusal(none)).toEqual(['BAD_USER_INPUT', 'url']);
  });

  test('report the duration of the engine', async () => {
    const upload = await storedUpload(gateway);
    const engine = { version: '12', steps: [], models: [], notes: [], durationMs: 1234.4 };
    const { id } = await storedEnhancement(gateway, upload, { status: 'FINISHED', engine });
    const { data } = await graphql(gateway, `{ enhancedImage(id: "${id}") { viesusDuration engineDuration } }`);
    expect(data.enhancedImage).toEqual({ viesusDuration: 1234, engineDuration: 1234 });
  });

  test.each([
    ['preset: VIVID', { mode: 'VIVID' }],
    ['preset: DEFAULT', { mode: 'ENHANCE' }],
    ['preset: VIVID, mode: NATURAL', { mode: 'NATURAL' }],
    ['noiseReductionProfilingMonochromeStrength: 0.7', { noiseReductionProfilingStrength: 0.7 }],
    [
      'noiseReductionProfilingMonochromeStrength: 0.7, noiseReductionProfilingStrength: 0.2',
      { noiseReductionProfilingStrength: 0.7 },
    ],
  ])('start an enhancement: %s', async (input, parameters) => {
    const upload = await storedUpload(gateway);
    const asked: unknown[] = [];
    gateway.temporal.onUpdate = ({ name, args: [requests] }) => {
      if (name === 'requestEnhancements') asked.push((requests as [{ parameters: unknown }])[0].parameters);
      throw Object.assign(new Error('4 DEADLINE_EXCEEDED'), { code: 4, details: 'x', metadata: {} });
    };
    await graphql(
      gateway,
      `mutation { createEnhancedImage(uploadId: "${upload.id}", input: { ${input} }) { id viesusDuration } }`,
    );
    expect(asked).toEqual([parameters]);
  });

  test('apply to enhancements that an upload orders', async () => {
    const input = 'url: "https://example.com/a.jpg", enhancements: [{ preset: VIVID }, { presetName: "missing" }]';
    const create = `mutation { createUploadFromUrl(input: { ${input} }) { id } }`;
    expect(refusal(await graphql(gateway, create))).toEqual(['BAD_USER_INPUT', 'input.enhancements[1].preset']);
  });

  test('are marked in the schema', async () => {
    const { data } = await graphql(gateway, '{ __type(name: "EnhancedImage") { fields { name description } } }');
    const field = data.__type.fields.find(({ name }: { name: string }) => name === 'viesusDuration');
    expect(field.description).toMatch(/^Public service:/);
  });
});
