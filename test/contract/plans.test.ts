import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pdfWithPhoto } from '../e2e/files.ts';
import { OPERATOR_KEY } from '../e2e/shared-instance.ts';
import { type Service, startService } from './service.ts';
import { poll } from '../support/poll.ts';

const BY_URL = 'mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id } }';
const ENHANCE =
  'mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) { id status } }';

let service: Service;
beforeAll(async () => {
  service = await startService();
  service.files.set('capped.pdf', await pdfWithPhoto(480, 360, 2));
});
afterAll(async () => await service?.[Symbol.asyncDispose]());

async function keyOnPlan(plan: string): Promise<string> {
  const response = await fetch(`${service.instance.url}/v1/operator/accounts`, {
    method: 'POST',
    headers: { 'x-api-key': OPERATOR_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `On ${plan}`, plan }),
  });
  const { apiKey } = (await response.json()) as { apiKey: string };
  return apiKey;
}

test.each([
  ['FREE', 'Free', 300],
  ['BASIC', 'Basic', 600],
  ['BUSINESS', 'Business', 1200],
] as const)(
  'plan %s accepts resolutions up to its cap, and a refusal names the plan and the cap',
  async (plan, name, cap) => {
    const headers = { 'x-api-key': await keyOnPlan(plan) };
    const input = { url: `${service.filesUrl}/capped.pdf` };
    const { createUploadFromUrl } = await service.send(BY_URL, { input }, headers);
    const id = createUploadFromUrl.id as string;
    const analyzed = async () => {
      const { upload } = await service.send('query ($id: ID!) { upload(id: $id) { subStatus } }', { id }, headers);
      return upload.subStatus as string;
    };
    await poll(analyzed).toBe('METADATA_ANALYZED_SUCCESSFULLY');

    const refused = await fetch(`${service.instance.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query: ENHANCE, variables: { id, input: { targetResolution: cap + 0.5 } } }),
    });
    const { errors } = (await refused.json()) as { errors: { message: string; extensions: object }[] };
    expect(errors).toMatchObject([
      {
        message: `Target resolution ${cap + 0.5} DPI exceeds the cap of plan ${name}, ${cap} DPI.`,
        extensions: { code: 'TARGET_RESOLUTION_EXCEEDS_PLAN', field: 'input.targetResolution' },
      },
    ]);
    const { createEnhancedImage } = await service.send(ENHANCE, { id, input: { targetResolution: cap } }, headers);
    expect(createEnhancedImage.status).toBe('QUEUED');
  },
);
