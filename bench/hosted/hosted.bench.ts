import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { picture } from '../../test/e2e/files.ts';
import { useBothSides } from '../../test/hosted/both-sides.ts';

/** Pixels of a file, and the number of files per path. The paths alternate, so that noise of the machine affects both equally. */
const SIZES = [
  { width: 2000, height: 1500, files: 10 },
  { width: 4000, height: 3000, files: 5 },
];
const ENHANCEMENT = { upscalingFactor: 'X2', engineTier: 'PLAIN' } as const;

const sides = useBothSides();

let seed = 0;
/** A file that neither side has seen. */
const file = (width: number, height: number): Promise<Buffer> =>
  picture(width, height, { seed: (seed += 1) })
    .jpeg({ quality: 85 })
    .toBuffer();

test.each(SIZES)('a hosted lifecycle against the bare calls that it needs, $width × $height', async (size) => {
  const { width, height, files } = size;
  const lifecycle: number[] = [];
  const bare: number[] = [];
  await bareCalls(await file(width, height));
  await wholeLifecycle(await file(width, height));
  for (let index = 0; index < files; index += 1) {
    bare.push(await timed(bareCalls, await file(width, height)));
    lifecycle.push(await timed(wholeLifecycle, await file(width, height)));
  }
  const latencies = webhookToNextStep();
  expect(latencies.length).toBeGreaterThan(0);
  const [whole, sum] = [median(lifecycle), median(bare)];
  const spread = (values: number[]): string => `${ms(Math.min(...values))} to ${ms(Math.max(...values))}`;
  console.log(
    [
      `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`,
      `${files} files of ${width} × ${height} pixels each way, doubled`,
      `bare remote calls          ${ms(sum)} median (${spread(bare)})`,
      `whole hosted lifecycle     ${ms(whole)} median (${spread(lifecycle)})`,
      `ratio                      ${(whole / sum).toFixed(2)}`,
      `webhook to the next call   ${ms(median(latencies))} median of ${latencies.length}`,
    ].join('\n'),
  );
});

async function wholeLifecycle(bytes: Buffer): Promise<void> {
  const { body } = await sides.near.instance.api.upload(bytes, { enhancements: [ENHANCEMENT] });
  const { enhancements } = await sides.near.instance.api.settled(body.id);
  expect(enhancements).toMatchObject([{ status: 'FINISHED', provider: 'HOSTED' }]);
}

/** Simulates a client without a lifecycle that polls 20 times per second. */
async function bareCalls(bytes: Buffer): Promise<void> {
  await graphql('{ credits { remainingCreditsThisPeriod } }');
  const { createSignedUploadUrl: signed } = await graphql<{
    createSignedUploadUrl: { uploadId: string; uploadUrl: string };
  }>('mutation ($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadId uploadUrl } }', {
    input: { filename: 'bare.jpg', filesize: bytes.length, mimetype: 'image/jpeg' },
  });
  const put = await fetch(signed.uploadUrl, { method: 'PUT', body: bytes, headers: { 'content-type': 'image/jpeg' } });
  expect(put.ok).toBe(true);
  await graphql('mutation ($id: ID!) { completeSignedUpload(id: $id) { status } }', { id: signed.uploadId });
  const { createEnhancedImage: begun } = await graphql<{ createEnhancedImage: { id: string } }>(
    'mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) { id } }',
    { id: signed.uploadId, input: ENHANCEMENT },
  );
  for (;;) {
    const { enhancedImage } = await graphql<{ enhancedImage: { status: string; fullUrl: string | null } }>(
      'query ($id: ID!) { enhancedImage(id: $id) { status fullUrl } }',
      { id: begun.id },
    );
    if (enhancedImage.status === 'FINISHED') {
      await (await fetch(enhancedImage.fullUrl!)).arrayBuffer();
      return;
    }
    await delay(50);
  }
}

async function graphql<Data>(query: string, variables: object = {}): Promise<Data> {
  const { BURNISH_HOSTED_URL: url, BURNISH_HOSTED_API_KEY: key } = sides.far.settings;
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: Data; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

/** Milliseconds from the arrival of the webhook of a finished enhancement to Burnish's poll of its state. */
function webhookToNextStep(): number[] {
  return sides.near.webhooks.calls
    .filter(({ body }) => body.includes('"enhanced_image.status_update"') && body.includes('"FINISHED"'))
    .flatMap(({ atMs, body }) => {
      const { data } = JSON.parse(body) as { data: { id: string } };
      const read = sides.far.proxy.calls.find(
        (call) => call.operation === 'EnhancedImage' && call.body.includes(data.id) && call.atMs > atMs,
      );
      return read === undefined ? [] : [read.atMs - atMs];
    });
}

async function timed(work: (bytes: Buffer) => Promise<void>, bytes: Buffer): Promise<number> {
  const startedAt = performance.now();
  await work(bytes);
  return performance.now() - startedAt;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const ms = (value: number): string => `${value.toFixed(0)} ms`;
