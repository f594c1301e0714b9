import { setTimeout as delay } from 'node:timers/promises';
import { Burnish } from '@burnish/client';
import type { EnhancementRepresentation } from '@burnish/contract';
import type { Cluster } from '../../cluster/cluster.ts';
import { announce, complete, put } from '../../cluster/signed-put.ts';
import { type Api, createApi, type UploadRecord } from '../../e2e/api.ts';
import { pdfWithPhoto, photo } from '../../e2e/files.ts';
import type { WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { until } from '../../support/until.ts';
import { askUntilAnswered } from '../matrix/caller.ts';
import { largePdf, SLOW, slowPhoto, TONE } from '../matrix/lives.ts';

/** What a lifecycle does when the upgrade begins; the shares of ten. */
const KINDS = [
  'resting',
  'resting',
  'resting',
  'awaiting approval',
  'awaiting credits',
  'awaiting its file',
  'image',
  'slow image',
  'PDF',
  'delivery',
] as const;
type Kind = (typeof KINDS)[number] | 'PDF in spans' | 'load';

export interface Life {
  kind: Kind;
  /** Name of its file, by which its record is found */
  name: string;
  upload: UploadRecord;
}

export interface Scene {
  cluster: Cluster;
  receiver: WebhookReceiver;
  /** API of the account without credits, and what adds some */
  poor: { apiKey: string; api: Api; topUp(credits: number, reference: string): Promise<unknown> };
}

/** The steps of the upgrade after which lifecycles continue, a third of them each time. */
const STEPS = 3;
const OVER_LIMIT = { upscalingFactor: 'X2', maxCredits: 1 };
const PRICE = 4;
const AT_ONCE = 8;
const ANSWER_MS = 300_000;
/** Enhancements in work from which the load pauses, so that no backlog outlasts the limit of a busy machine. */
const LOAD_MOST = 16;
/** Lifecycles from which one is a PDF that keeps the engine workers busy for long. */
const WITH_SPANS = 50;

/** Creates an account without credits. */
export async function poorAccount(cluster: Pick<Cluster, 'url'>, operatorKey: string): Promise<Scene['poor']> {
  const operator = createApi(cluster.url, operatorKey);
  const headers = { authorization: `Bearer ${operatorKey}` };
  const body = { name: 'Poor', plan: 'BUSINESS', creditsPerPeriod: 0 };
  const created = await operator.call<{ account: { id: string }; apiKey: string }>('POST', '/v1/operator/accounts', {
    headers,
    body,
  });
  const { account, apiKey } = created.body;
  const path = `/v1/operator/accounts/${account.id}/credits`;
  return {
    apiKey,
    api: createApi(cluster.url, apiKey),
    topUp: (credits, reference) => insist(() => operator.call('POST', path, { headers, body: { credits, reference } })),
  };
}

/** Brings lifecycles to their kinds, those that run last. */
export async function beginLives(scene: Scene, count: number): Promise<Life[]> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const kindOf = (index: number): Kind =>
    index === 8 && count >= WITH_SPANS ? 'PDF in spans' : KINDS[index % KINDS.length]!;
  const begun: Life[] = [];
  const begin = async (kinds: readonly Kind[]): Promise<void> => {
    const rest = numbers.filter((index) => kinds.includes(kindOf(index))).values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const index of rest) begun.push(await beginLife(scene, kindOf(index), `${kindOf(index)}-${index}`, index));
      }),
    );
  };
  await begin(['resting', 'awaiting approval', 'awaiting credits', 'awaiting its file']);
  await begin(['PDF in spans', 'slow image', 'image', 'PDF', 'delivery']);
  return begun;
}

async function beginLife(scene: Scene, kind: Kind, name: string, seed: number): Promise<Life> {
  const { cluster, poor, receiver } = scene;
  const filename = name.replaceAll(' ', '-');
  if (kind === 'awaiting its file') {
    const upload = await announce(cluster.api, await photo(seed), 'image/jpeg', filename);
    return { kind, name: filename, upload };
  }
  const isPoor = kind === 'awaiting credits';
  const webhookUrl = `${receiver.url}/hook`;
  const upload = await send(cluster, {
    apiKey: isPoor ? poor.apiKey : cluster.apiKey,
    filename,
    file: await fileOf(kind, seed),
    order: {
      ...(kind === 'resting' ? {} : { enhancements: [orderOf(kind)] }),
      ...(kind === 'delivery' ? { webhookUrl } : {}),
    },
  });
  const api = isPoor ? poor.api : cluster.api;
  if (kind === 'resting') await api.settled(upload.id);
  const status = { 'awaiting approval': 'AWAITING_APPROVAL', 'awaiting credits': 'AWAITING_CREDITS' } as const;
  if (kind in status) await api.reached(upload.enhancements[0]!.id, status[kind as keyof typeof status]);
  return { kind, name: filename, upload };
}

function fileOf(kind: Kind, seed: number): Promise<Buffer> {
  if (kind === 'PDF in spans') return largePdf();
  if (kind === 'slow image') return slowPhoto(seed);
  return kind === 'PDF' ? pdfWithPhoto(480, 360, seed) : photo(seed);
}

function orderOf(kind: Kind): object {
  if (kind === 'PDF in spans') return { targetResolution: 300, ...TONE };
  if (kind === 'slow image') return SLOW;
  if (kind === 'awaiting approval') return OVER_LIMIT;
  return kind === 'awaiting credits' ? { upscalingFactor: 'X2' } : {};
}

interface Sending {
  apiKey: string;
  filename: string;
  file: Uint8Array;
  order: Record<string, unknown>;
}

/** Sends a file as the documentation says. @throws Error when it is refused, or an answer blames the caller */
async function send({ url }: Cluster, { apiKey, filename, file, order }: Sending): Promise<UploadRecord> {
  const words = Object.entries(order).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const address = `${url}/v1/uploads?${new URLSearchParams(words).toString()}`;
  const ask = { url: address, apiKey, method: 'POST' as const, file, filename };
  const { status, body, wrong } = await askUntilAnswered(ask, performance.now() + ANSWER_MS);
  if (status !== 202 || wrong.length > 0) throw new Error(`${filename}: ${status} ${JSON.stringify(body)} ${wrong[0]}`);
  return body!;
}

/**
 * Orders, approves, pays and completes a third of the lifecycles that wait.
 * @param step 0 to `STEPS` - 1
 */
export async function continueLives({ cluster, poor }: Scene, lives: readonly Life[], step: number): Promise<void> {
  const { api, apiKey, url } = cluster;
  const due = lives.filter((_, index) => index % STEPS === step);
  for (const { kind, upload } of due) {
    const [enhancement] = upload.enhancements;
    if (kind === 'resting') {
      const path = `${url}/v1/uploads/${upload.id}/enhancements`;
      const ask = { url: path, apiKey, method: 'POST' as const, json: { enhancements: [{ upscalingFactor: 'X2' }] } };
      const { status, wrong } = await askUntilAnswered(ask, performance.now() + ANSWER_MS);
      if (status !== 202 || wrong.length > 0) throw new Error(`An order: ${status} ${wrong[0]}`);
    } else if (kind === 'awaiting approval') {
      const path = `/v1/enhancements/${enhancement!.id}`;
      await insist(async () => {
        await api.call('POST', `${path}/approve`);
        const { body } = await api.get<EnhancementRepresentation>(path);
        return body.status === 'AWAITING_APPROVAL' ? undefined : true;
      });
    } else if (kind === 'awaiting its file') {
      const seed = Number(/\d+$/.exec(lives.find((each) => each.upload === upload)!.name)![0]);
      await put((upload as Awaited<ReturnType<typeof announce>>).uploadUrl, await photo(seed), 'image/jpeg');
      await insist(async () => ((await complete(api, upload.id)).status < 300 ? true : undefined));
    }
  }
  const waiting = lives.filter(({ kind }) => kind === 'awaiting credits').length;
  const credits = step === STEPS - 1 ? waiting * PRICE : Math.floor(waiting / STEPS) * PRICE;
  if (credits > 0) await poor.topUp(credits, `step-${step}`);
}

/** Sends small files until it is stopped, while fewer than `LOAD_MOST` enhancements are in work; every fifth is a PDF, and every third has a webhook. */
export function startLoad({ cluster, receiver }: Scene): { stop(): Promise<Life[]> } {
  const lives: Life[] = [];
  let running = true;
  const done = (async () => {
    for (let number = 0; running; number += 1) {
      while (running && (await inWork(cluster)) >= LOAD_MOST) await delay(300);
      const name = `load-${number}`;
      const file = number % 5 === 4 ? await pdfWithPhoto(320, 240, 5_000 + number) : await photo(5_000 + number);
      const order = { enhancements: [{}], ...(number % 3 === 0 ? { webhookUrl: `${receiver.url}/hook` } : {}) };
      const upload = await send(cluster, { apiKey: cluster.apiKey, filename: name, file, order });
      lives.push({ kind: 'load', name, upload });
      await delay(300);
    }
  })();
  // Read by `stop`.
  done.catch(() => undefined);
  return {
    async stop() {
      running = false;
      await done;
      return lives;
    },
  };
}

const inWork = ({ api }: Cluster): Promise<number> =>
  insist(async () => (await api.get<{ items: unknown[] }>('/v1/enhancements?status=PROCESSING')).body.items.length);

/**
 * Starts a batch of 20 pictures.
 * @returns what waits for its end
 */
export async function startBatch(
  { apiKey, url }: Pick<Cluster, 'apiKey' | 'url'>,
  port: number,
): Promise<() => Promise<void>> {
  const client = new Burnish({ baseUrl: url, apiKey, maxRetries: 100 });
  const { id } = await client.batches.create({ enhancements: [{}], samples: 2, reference: 'upgrade' });
  const urls = Array.from({ length: 20 }, (_, index) => `http://127.0.0.1:${port}/${index}.jpg`);
  await client.batches.add(
    id,
    urls.map((url, index) => ({ url, key: `file-${index}` })),
  );
  await client.batches.close(id);
  return async () => {
    const reached = (wanted: string) =>
      until(
        () => client.batches.get(id),
        (batch) => batch.status === wanted,
      );
    await reached('APPROVAL_NEEDED');
    await client.batches.approve(id);
    const { counts } = await reached('FINISHED');
    if (counts.finished !== urls.length) throw new Error(`The batch ended with ${JSON.stringify(counts)}.`);
  };
}

/** Repeats a request that has no answer, since its gateway has just ended. */
const insist = <T>(ask: () => Promise<T | undefined>): Promise<T> => until(() => ask().catch(() => undefined));
