import { randomBytes } from 'node:crypto';
import { startCluster } from '../../cluster/cluster.ts';
import type { TemporalKind } from '../../cluster/temporal.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { servePictures } from '../batches/pictures.ts';
import { type Build, type Part, startFleet } from './fleet.ts';
import { judge, type Verdict } from './judge.ts';
import { beginLives, continueLives, poorAccount, startBatch, startLoad } from './lives.ts';

export interface UpgradeOptions {
  /** The build before the upgrade, which leads to that of this checkout */
  release: Build;
  /** All parts */
  order: readonly Part[];
  /** Lifecycles besides those of the load */
  count: number;
  /** Whether to return to the release in the middle */
  rollback: boolean;
  /** Time for all lifecycles to end, milliseconds */
  limitMs: number;
  temporal?: TemporalKind;
  report: (sentence: string) => void;
}

/** Replaces a release under load, part by part and process by process, and counts what it did to the lifecycles. */
export async function upgrade(options: UpgradeOptions): Promise<Verdict & { faults: string[] }> {
  const { release, order, count, rollback, limitMs, temporal, report } = options;
  const operatorKey = randomBytes(24).toString('base64url');
  await using receiver = await webhookReceiver();
  await using pictures = await servePictures();
  const faults: string[] = [];
  const cluster = await startCluster({
    ...(temporal && { temporal }),
    env: {
      BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port},127.0.0.1:${pictures.port}`,
      BURNISH_CREDITS_PER_PERIOD: '10000000',
      BURNISH_PLAN: 'BUSINESS',
      BURNISH_LOG_LEVEL: 'error',
      BURNISH_OPERATOR_KEY: operatorKey,
    },
  });
  try {
    const fleet = await startFleet(cluster, release, faults);
    const scene = { cluster, receiver, poor: await poorAccount(cluster, operatorKey) };
    // The first attempt of each event fails, so that its delivery waits for another one.
    receiver.answerWith(({ id }) => (receiver.deliveries.some(({ event }) => event.id === id) ? 204 : 503));
    const batch = await startBatch(scene, pictures.port);
    if (batch === undefined) report('This release knows no batches.');
    const lives = await beginLives(scene, count);
    report(`${lives.length} lifecycles have begun.`);
    const load = startLoad(scene);
    for (const [step, moves] of movesOf(order, rollback).entries()) {
      for (const { forward, parts } of moves) {
        for (const part of parts) {
          await fleet.roll(part, forward ? undefined : release);
          report(`${forward ? 'Forward' : 'Back'}: ${part}.`);
        }
      }
      await continueLives(scene, lives, step);
    }
    const more = await load.stop();
    await batch?.();
    return { ...(await judge(cluster, receiver, [...lives, ...more], limitMs)), faults };
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}

interface Move {
  forward: boolean;
  parts: readonly Part[];
}

/** What is replaced before each of the three times at which lifecycles continue. */
function movesOf(order: readonly Part[], rollback: boolean): Move[][] {
  if (!rollback) return order.map((part) => [{ forward: true, parts: [part] }]);
  const [first, second] = order as [Part, Part];
  return [
    [{ forward: true, parts: [first] }],
    [
      { forward: true, parts: [second] },
      { forward: false, parts: [second, first] },
    ],
    [{ forward: true, parts: order }],
  ];
}
