import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { pdfWithPhoto, photo, picture } from '../../e2e/files.ts';
import { buildPdf, onePage, type Objects } from '../../../packages/pdf/test/build-pdf.ts';
import { photograph } from '../../../packages/engine/test/pdf/pictures.ts';
import type { WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { askUntilAnswered, type Heard } from './caller.ts';
import type { Place } from './place.ts';

export const STAGES = ['upload', 'analysis', 'enhancement', 'spans', 'approval', 'delivery', 'deletion'] as const;
export type Stage = (typeof STAGES)[number];

/** One lifecycle at a given stage when the fault begins. */
export interface Life {
  stage: Stage;
  /** Name of its file; it identifies the record even without a response */
  name: string;
  /** Result of the last request of the caller; settles soon after the deadline at the latest */
  heard: Promise<Heard>;
}

export interface Scene {
  place: Place;
  receiver: WebhookReceiver;
  stages: readonly Stage[];
  /** Identifies this row */
  row: string;
}

/** An enhancement that keeps a core busy for seconds. */
export const SLOW = { mode: 'ENHANCE', upscalingFactor: 'X4', noiseReductionProfilingMode: 'AUTO' };
/** Milliseconds from the beginning of a fault to the later requests */
const DURING_MS = 1_500;
/** More pixels than one activity accepts, before and after the enhancement: three spans. */
const SPAN_IMAGES = 24;
const SPAN_SIDE = 2_800;

let seed = Math.floor(Math.random() * 1_000_000_000);

/**
 * Brings lifecycles to their stages.
 * @returns a function that starts the lifecycles of the other stages, immediately before the fault
 */
export async function prepareLives(scene: Scene): Promise<(deadline: number) => Life[]> {
  const { place } = scene;
  const has = (stage: Stage): boolean => scene.stages.includes(stage);
  const send = (stage: Stage, file: Uint8Array, order: Record<string, unknown>, deadline: number): Life => {
    const name = `${scene.row}-${stage}-${(seed += 1)}`;
    const query = new URLSearchParams(
      Object.entries(order).map(([key, value]): [string, string] => [key, text(value)]),
    );
    const url = `${place.url}/v1/uploads?${query.toString()}`;
    const ask = { url, apiKey: place.apiKey, method: 'POST' as const, file, filename: name };
    return { stage, name, heard: askUntilAnswered(ask, deadline) };
  };
  const soon = (): number => performance.now() + 300_000;
  const idOf = async ({ heard }: Life): Promise<string> => (await heard).body!.id;

  const early: Life[] = [];
  const approvals: { life: Life; id: string }[] = [];
  if (has('approval')) {
    for (const file of await photos(2)) {
      const life = send('approval', file, { enhancements: [{ upscalingFactor: 'X2', maxCredits: 1 }] }, soon());
      const { id } = (await life.heard).body!.enhancements[0]!;
      await place.api.reached(id, 'AWAITING_APPROVAL');
      approvals.push({ life, id });
    }
  }
  const deletions: { life: Life; id: string }[] = [];
  if (has('deletion')) {
    for (const file of await photos(2)) {
      const life = send('deletion', file, { enhancements: [{}] }, soon());
      const id = await idOf(life);
      await place.api.settled(id);
      deletions.push({ life, id });
    }
  }
  if (has('delivery')) {
    scene.receiver.answerWith(503);
    for (const file of await photos(2)) {
      const order = { enhancements: [{}], webhookUrl: `${scene.receiver.url}/${scene.row.replaceAll(' ', '-')}` };
      const life = send('delivery', file, order, soon());
      await place.api.settled(await idOf(life));
      early.push(life);
    }
    scene.receiver.answerWith(204);
  }
  const slow = has('enhancement') ? await Promise.all([1, 2].map(() => slowPhoto((seed += 1)))) : [];
  const large = has('spans') ? [await largePdf()] : [];
  // The last step, because these lifecycles do not wait for the fault. The PDF is first, so that an engine worker gets it.
  const working = [
    ...large.map((file) => send('spans', file, { enhancements: [{ targetResolution: 300, ...TONE }] }, soon())),
    ...slow.map((file) => send('enhancement', file, { enhancements: [SLOW] }, soon())),
  ];
  const pdfs = await Promise.all((has('analysis') ? [1, 2] : []).map(() => pdfWithPhoto(480, 360, (seed += 1))));
  const images = has('upload') ? await photos(4) : [];

  for (const { heard } of working) {
    await place.api.reached((await heard).body!.enhancements[0]!.id, 'PROCESSING', 'FINISHED', 'ERROR');
  }
  early.push(...working);

  return (deadline) => {
    const lives = [...early];
    // Half of the requests are in flight when the fault begins, and half start during it.
    const half = (index: number, count: number): Promise<void> => delay(index < count / 2 ? 0 : DURING_MS);
    const ask = (asked: { life: Life; id: string }[], method: 'POST' | 'DELETE', path: (id: string) => string): void =>
      asked.forEach(({ life, id }, index) => {
        const request = { url: `${place.url}/v1/${path(id)}`, apiKey: place.apiKey, method };
        const heard = half(index, asked.length).then(() => askUntilAnswered(request, deadline));
        lives.push({ ...life, heard });
      });
    ask(deletions, 'DELETE', (id) => `uploads/${id}`);
    ask(approvals, 'POST', (id) => `enhancements/${id}/approve`);
    for (const file of pdfs) lives.push(send('analysis', file, {}, deadline));
    images.forEach((file, index) => {
      const heard = half(index, images.length);
      const life = lazily(heard, () => send('upload', file, { enhancements: [{}] }, deadline));
      lives.push(life);
    });
    return lives;
  };

  function lazily(ready: Promise<unknown>, begin: () => Life): Life {
    const life: Life = { stage: 'upload', name: '', heard: ready.then(() => Object.assign(life, begin()).heard) };
    return life;
  }
}

export const TONE = { customColorConfig: { auto: false, contrast: 0.1 } };

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const photos = (count: number): Promise<Buffer[]> =>
  Promise.all(Array.from({ length: count }, () => photo((seed += 1))));

export const slowPhoto = (one: number): Promise<Buffer> =>
  picture(720, 540, { seed: one }).jpeg({ quality: 85 }).toBuffer();

/** A PDF of three spans. All its images are equal, but each call returns a different file. */
export async function largePdf(): Promise<Buffer> {
  const { data, width, height } = photograph(SPAN_SIDE, SPAN_SIDE, 1);
  const image = sharp(data, { raw: { width, height, channels: 1 } }).toColourspace('b-w');
  const jpeg = await image.jpeg({ quality: 80 }).toBuffer();
  const dict = `/Type/XObject/Subtype/Image/Width ${SPAN_SIDE}/Height ${SPAN_SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`;
  const numbers = Array.from({ length: SPAN_IMAGES }, (_, i) => 10 + i);
  const drawn = numbers.map((n) => `q 672 0 0 672 0 0 cm /Im${n} Do Q`).join(' ');
  const objects: Objects = onePage(
    `${drawn} % ${(seed += 1)}`,
    `/XObject<<${numbers.map((n) => `/Im${n} ${n} 0 R`).join('')}>>`,
  );
  for (const n of numbers) objects[n] = { dict, data: jpeg };
  return buildPdf(objects);
}
