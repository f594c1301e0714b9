import { setTimeout as pause } from 'node:timers/promises';
import { photo } from '../../e2e/files.ts';
import { type WebhookReceiver, webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { createCaller, type HttpCall } from './caller.ts';
import { readInput, runUntilEnd } from './program.ts';

/** What the calm account did: each step with its answer and its time. */
export interface CalmStep {
  step: 'upload' | 'read' | 'finish' | 'event' | 'order' | 'download' | 'list' | 'delete';
  /** HTTP status; 0 without an answer, and with an enhancement that did not finish */
  status: number;
  /** Code of the problem, or the state of an enhancement that did not finish */
  code?: string;
  ms: number;
}

/** A photograph a second. */
const EVERY_MS = 1_000;
/** Between two looks at an enhancement, milliseconds: longer with each look, as a calm caller's. */
const LOOK_MS = { first: 50, longest: 1_000, growth: 1.3 };
/** An enhancement that takes longer counts as lost. */
const PATIENCE_MS = 120_000;

interface Enhancement {
  id: string;
  status: string;
  fullUrl: string | null;
}

const { urls, apiKey } = await readInput<{ urls: string[]; apiKey: string }>();
const call = createCaller(urls, apiKey);
const file = await photo(1);
const steps: CalmStep[] = [];
await using receiver: WebhookReceiver = await webhookReceiver();
const endpoint = await call({
  method: 'POST',
  path: '/v1/webhooks',
  body: { url: receiver.url, events: ['enhanced_image.status_update'] },
});
await runUntilEnd(async (signal) => {
  const lives: Promise<void>[] = [];
  for (let count = 0; !signal.aborted; count += 1) {
    lives.push(live(count));
    await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(lives);
  // The receiver goes with this program. The next one would find a second endpoint, and nobody behind it.
  await call({ method: 'DELETE', path: `/v1/webhooks/${String(endpoint.body['id'])}` });
  return steps;
});

/** One photograph from its first byte to its deletion. */
async function live(count: number): Promise<void> {
  const began = performance.now();
  const bytes = Buffer.concat([file, Buffer.from(`${process.pid} ${Date.now()} ${count}`)]);
  const upload = await timed('upload', { method: 'POST', path: '/v1/uploads?enhancements=[{}]', body: bytes });
  if (upload === undefined) return;
  const { id, enhancements } = upload as unknown as { id: string; enhancements: Enhancement[] };
  await timed('read', { path: `/v1/uploads/${id}` });
  await finish(enhancements[0]!.id, began);
  const orderedAt = performance.now();
  const body = { enhancements: [{ mode: 'VIVID', sharpening: 0.2 }] };
  const ordered = await timed('order', { method: 'POST', path: `/v1/uploads/${id}/enhancements`, body });
  if (ordered !== undefined) {
    const done = await finish((ordered as unknown as { enhancements: [Enhancement] }).enhancements[0].id, orderedAt);
    if (done !== undefined) {
      const { pathname, search } = new URL(done.fullUrl!);
      await timed('download', { path: pathname + search });
    }
  }
  await timed('list', { path: '/v1/uploads?limit=20' });
  await timed('delete', { method: 'DELETE', path: `/v1/uploads/${id}` });
}

/** @returns the body of a good answer */
async function timed(step: CalmStep['step'], asked: HttpCall): Promise<Record<string, unknown> | undefined> {
  const began = performance.now();
  const { status, body } = await call(asked);
  const { code } = body as { code?: string };
  steps.push({ step, status, ms: performance.now() - began, ...(code !== undefined && { code }) });
  return status >= 200 && status < 300 ? body : undefined;
}

/** Waits for the enhancement and for its event. @param began of its order */
async function finish(id: string, began: number): Promise<Enhancement | undefined> {
  let last: Enhancement | undefined;
  let lookMs = LOOK_MS.first;
  for (const giveUpAt = began + PATIENCE_MS; performance.now() < giveUpAt; await pause(lookMs)) {
    lookMs = Math.min(lookMs * LOOK_MS.growth, LOOK_MS.longest);
    const { status, body } = await call({ path: `/v1/enhancements/${id}` });
    if (status !== 200) {
      steps.push({ step: 'read', status, code: String(body['code']), ms: 0 });
      continue;
    }
    last = body as unknown as Enhancement;
    if (['FINISHED', 'ERROR', 'CANCELLED'].includes(last.status)) break;
  }
  const isFinished = last?.status === 'FINISHED';
  const ms = performance.now() - began;
  steps.push({ step: 'finish', status: isFinished ? 200 : 0, ms, ...(!isFinished && { code: String(last?.status) }) });
  if (!isFinished) return undefined;
  const finishedAt = performance.now();
  const hasEvent = (): boolean => receiver.deliveries.some(({ event: { data } }) => data['id'] === id);
  while (!hasEvent() && performance.now() < finishedAt + PATIENCE_MS) await pause(LOOK_MS.first);
  steps.push({ step: 'event', status: hasEvent() ? 200 : 0, ms: performance.now() - finishedAt });
  return last;
}
