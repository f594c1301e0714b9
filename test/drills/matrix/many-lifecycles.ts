import { setTimeout as delay } from 'node:timers/promises';
import { pdfWithPhoto, photo } from '../../e2e/files.ts';
import type { WebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { askUntilAnswered, type Heard } from './caller.ts';
import { commit, type Component, exists, type Fault } from './faults.ts';
import { judge } from './judge.ts';
import type { Life, Stage } from './lives.ts';
import { replaceTheDead } from './orchestrator.ts';
import type { Place } from './place.ts';

const STAGES = ['upload', 'analysis', 'delivery', 'deletion'] as const;
const FAULTS: readonly (readonly [Component, Fault])[] = [
  ['engine worker', 'kill'],
  ['workflow worker', 'kill'],
  ['gateway', 'kill'],
  ['Temporal node', 'kill'],
  ['PostgreSQL', 'kill'],
  ['storage', 'kill'],
  ['network that cuts', 'restart'],
  ['network that holds', 'restart'],
  ['network that refuses', 'restart'],
  ['engine worker', 'restart'],
  ['workflow worker', 'restart'],
  ['instance', 'kill'],
  ['Temporal server', 'kill'],
  ['decoders', 'kill'],
];
const PAUSE_BETWEEN_FAULTS_MS = 4_000;
const ROW = 'many';

export interface ManyOptions {
  count: number;
  clients: number;
  /** Time limit for all lifecycles after the last fault, milliseconds */
  limitMs: number;
  report: (sentence: string) => void;
}

/**
 * Runs many lifecycles while the parts fail in turn, and prints the counts.
 * @returns whether nothing is lost, duplicated or orphaned, and all lifecycles end within the time limit
 */
export async function runMany(place: Place, receiver: WebhookReceiver, options: ManyOptions): Promise<boolean> {
  const { limitMs, report } = options;
  const lives: Life[] = [];
  const done = sendAll(place, receiver, lives, options);
  let sending = true;
  void done.then(() => (sending = false));
  const possible = FAULTS.filter(([component, fault]) => exists(place, component, fault));
  let faults = 0;
  while (sending) {
    const [component, fault] = possible[faults % possible.length]!;
    faults += 1;
    report(`${component}, ${fault}; ${lives.length} begun`);
    await commit(place, component, fault, { stop: 3, longStop: 3 });
    const orchestrator = replaceTheDead(place);
    await delay(PAUSE_BETWEEN_FAULTS_MS);
    await orchestrator.stop();
    for (const name of orchestrator.died) report(`  died of itself, and was replaced: ${name}`);
  }
  await done;
  report(`All ${lives.length} are sent, ${faults} faults.`);
  const cells = await judge({ place, receiver, stages: STAGES, row: ROW }, lives, performance.now(), limitMs);
  const sum = (of: 'lost' | 'doubled' | 'orphaned' | 'toldWrongly'): number =>
    STAGES.reduce((total, stage) => total + cells[stage][of], 0);
  for (const note of STAGES.flatMap((stage) => cells[stage].notes)) report(`  ${note}`);
  const stuck = STAGES.filter((stage) => cells[stage].stalledSeconds === undefined);
  console.log(
    `${lives.length} lifecycles, ${faults} faults: ${sum('lost')} lost, ${sum('doubled')} duplicated, ${sum('orphaned')} orphaned, ` +
      `${sum('toldWrongly')} misreported; ${stuck.length === 0 ? 'all' : `not all of ${stuck.join(', ')}`} done within ${limitMs / 1000} s of the last fault`,
  );
  return sum('lost') + sum('doubled') + sum('orphaned') === 0 && stuck.length === 0;
}

/** Runs parallel clients with sequential lifecycles. PDFs, webhooks and deletions make up a tenth each. */
async function sendAll(
  place: Place,
  receiver: WebhookReceiver,
  lives: Life[],
  { count, clients, limitMs }: ManyOptions,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const number of numbers) {
        const stage = stageOf(number);
        const name = `${ROW}-${stage}-${number}`;
        const webhookUrl = `${receiver.url}/many`;
        const life = { stage, name, heard: oneLife(place, { stage, name, number, webhookUrl, limitMs }) };
        lives.push(life);
        await life.heard;
      }
    }),
  );
}

function stageOf(number: number): Stage {
  const tenth = number % 10;
  return tenth === 7 ? 'analysis' : tenth === 8 ? 'delivery' : tenth === 9 ? 'deletion' : 'upload';
}

interface OneLife {
  stage: Stage;
  name: string;
  number: number;
  webhookUrl: string;
  limitMs: number;
}

async function oneLife({ apiKey, url }: Place, one: OneLife): Promise<Heard> {
  const { stage, name, number, webhookUrl, limitMs } = one;
  const deadline = performance.now() + limitMs;
  const file = stage === 'analysis' ? await pdfWithPhoto(480, 360, number) : await photo(10_000 + number);
  const order = stage === 'analysis' ? '' : `enhancements=${encodeURIComponent('[{}]')}`;
  const webhook = stage === 'delivery' ? `&webhookUrl=${encodeURIComponent(webhookUrl)}` : '';
  const upload = { url: `${url}/v1/uploads?${order}${webhook}`, apiKey, method: 'POST' as const };
  const heard = await askUntilAnswered({ ...upload, file, filename: name }, deadline);
  if (stage !== 'deletion' || heard.body?.id === undefined) return heard;
  const path = `${url}/v1/uploads/${heard.body.id}`;
  const deleted = await askUntilAnswered({ url: path, apiKey, method: 'DELETE' }, deadline);
  return { ...deleted, wrong: [...heard.wrong, ...deleted.wrong] };
}
