import { setTimeout as delay } from 'node:timers/promises';
import type { EnhancementRepresentation } from '@burnish/contract';
import { pdfWithPhoto, photo } from '../../e2e/files.ts';
import type { ReceivedEvent, WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { until } from '../../support/until.ts';
import { askUntilAnswered, type Heard } from '../matrix/caller.ts';
import { judge } from '../matrix/judge.ts';
import type { Life, Scene, Stage } from '../matrix/lives.ts';
import type { Place } from '../matrix/place.ts';
import { FINISH_WITHIN_MS, type Harm, noHarm } from './proof.ts';
import { createStallMeter, keepLooking } from './stall.ts';

/** Work of every kind; the shares of ten. */
const KINDS: readonly Stage[] = [
  'upload',
  'upload',
  'enhancement',
  'upload',
  'approval',
  'upload',
  'upload',
  'analysis',
  'delivery',
  'deletion',
];
const ORDERS: Partial<Record<Stage, object>> = {
  upload: {},
  enhancement: { upscalingFactor: 'X2' },
  approval: { upscalingFactor: 'X2', maxCredits: 1 },
  delivery: {},
  deletion: {},
};
/** Lifecycles in work from which the traffic pauses, so that a long fault makes no endless queue. */
const MOST_OPEN = 100;

/** A lifecycle of the traffic, with the ids that its upload was answered with. */
export interface TrafficLife extends Life {
  uploadId?: string;
  enhancementId?: string;
}

export interface Traffic {
  readonly lives: readonly TrafficLife[];
  /** The longest time so far in which no event of an end arrived although one was due, seconds */
  readonly stallSeconds: number;
  isTold(life: TrafficLife): boolean;
  /** Begins nothing new, and waits for the answers to all requests. */
  stop(): Promise<void>;
  /** Waits for the end of all lifecycles and for their events, and says what is wrong. */
  judge(): Promise<Harm>;
}

/** Registers an endpoint for all events of the account. */
export async function listenTo({ api }: Pick<Place, 'api'>, receiver: WebhookReceiver): Promise<void> {
  const body = { url: `${receiver.url}/all`, events: ['*'] };
  const { status } = await api.call('POST', '/v1/webhooks', { body });
  if (status !== 201) throw new Error(`The registration of an endpoint was answered with ${status}.`);
}

/**
 * Begins lifecycles of each kind at a rate: photographs, enlargements, approvals, PDFs, deliveries and deletions. The receiver gets
 * all events of the account: call `listenTo` first.
 */
export function startTraffic(scene: Omit<Scene, 'stages'>, perSecond: number): Traffic {
  const { receiver } = scene;
  const lives: TrafficLife[] = [];
  const isTold = readerOfEnds(receiver);
  const meter = createStallMeter();
  const count = (): { ended: number; open: number } => {
    const accepted = lives.filter(({ uploadId }) => uploadId !== undefined);
    const ended = accepted.filter(isTold).length;
    return { ended, open: accepted.length - ended };
  };
  const stopLooking = keepLooking(meter, count);
  const stopping = new AbortController();
  const sending = (async () => {
    for (let number = 0; !stopping.signal.aborted; number += 1) {
      lives.push(begin(scene, number));
      await delay(1000 / perSecond, undefined, stopping).catch(() => undefined);
      while (!stopping.signal.aborted && count().open > MOST_OPEN) await delay(500);
    }
  })();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await sending;
    await Promise.all(lives.map(({ heard }) => heard));
  };
  return {
    lives,
    isTold,
    get stallSeconds() {
      return meter.seconds;
    },
    stop,
    async judge() {
      await stop();
      const stages = [...new Set(KINDS)];
      const cells = await judge({ ...scene, stages }, lives, performance.now(), FINISH_WITHIN_MS);
      const harm = noHarm();
      for (const note of stages.flatMap((stage) => cells[stage].notes)) {
        const kind = note.startsWith('lost:') ? 'lost' : note.startsWith('doubled:') ? 'charged' : 'others';
        harm[kind].push(note);
      }
      const untold = (): TrafficLife[] => lives.filter((life) => life.uploadId !== undefined && !isTold(life));
      await until(untold, ({ length }) => length === 0, { withinMs: FINISH_WITHIN_MS }).catch(() => undefined);
      harm.untold.push(...untold().map(({ name }) => `${name}: no event for its end`));
      await stopLooking();
      return harm;
    },
  };
}

/** Reads each delivery once. @returns whether an event reported the end of a lifecycle */
function readerOfEnds({ deliveries }: WebhookReceiver): (life: TrafficLife) => boolean {
  const ended = new Set<string>();
  let read = 0;
  return ({ stage, uploadId, enhancementId }) => {
    for (; read < deliveries.length; read += 1) {
      const { event, status } = deliveries[read]!;
      if (status < 300) ended.add(endIn(event));
    }
    const isOfUpload = stage === 'deletion' || stage === 'analysis';
    return ended.has(isOfUpload ? `${stage} ${uploadId}` : `end ${enhancementId}`);
  };
}

function endIn({ event, data }: ReceivedEvent): string {
  if (event === 'upload.deleted') return `deletion ${String(data['id'])}`;
  if (event === 'upload.sub_status_update') return `analysis ${String(data['id'])}`;
  return data['status'] === 'FINISHED' ? `end ${String(data['id'])}` : '';
}

function begin({ place, receiver, row }: Omit<Scene, 'stages'>, number: number): TrafficLife {
  const stage = KINDS[number % KINDS.length]!;
  const life: TrafficLife = { stage, name: `${row}-${stage}-${number}`, heard: Promise.resolve({} as Heard) };
  life.heard = run(place, life, { number, webhookUrl: `${receiver.url}/one` });
  return life;
}

async function run(
  { apiKey, api, url }: Place,
  life: TrafficLife,
  { number, webhookUrl }: { number: number; webhookUrl: string },
): Promise<Heard> {
  const { stage, name } = life;
  const deadline = performance.now() + FINISH_WITHIN_MS;
  const file = stage === 'analysis' ? await pdfWithPhoto(480, 360, number) : await photo(10_000 + number);
  const order = ORDERS[stage];
  const query = new URLSearchParams({
    ...(order && { enhancements: JSON.stringify([order]) }),
    ...(stage === 'delivery' && { webhookUrl }),
  });
  const address = `${url}/v1/uploads?${query.toString()}`;
  const heard = await askUntilAnswered({ url: address, apiKey, method: 'POST', file, filename: name }, deadline);
  if (heard.status === undefined || heard.status >= 300 || heard.body === undefined) return heard;
  const { id, enhancements } = heard.body;
  const [enhancement] = enhancements ?? [];
  Object.assign(life, { uploadId: id, ...(enhancement && { enhancementId: enhancement.id }) });
  if (stage !== 'deletion' && stage !== 'approval') return heard;
  const path = stage === 'deletion' ? `/v1/uploads/${id}` : `/v1/enhancements/${enhancement!.id}`;
  if (stage === 'approval')
    await until(
      () => api.get<EnhancementRepresentation>(path).catch(() => undefined),
      ({ body }) => body.status === 'AWAITING_APPROVAL',
      { pauseMs: 500, withinMs: FINISH_WITHIN_MS },
    ).catch(() => undefined);
  const method = stage === 'deletion' ? 'DELETE' : 'POST';
  const decided = { url: `${url}${path}${stage === 'deletion' ? '' : '/approve'}`, apiKey, method } as const;
  const answer = await askUntilAnswered(decided, deadline);
  return { ...answer, wrong: [...heard.wrong, ...answer.wrong] };
}
