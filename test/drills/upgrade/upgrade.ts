import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type Cluster, startCluster } from '../../cluster/cluster.ts';
import type { TemporalKind } from '../../cluster/temporal.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { servePictures } from '../batches/pictures.ts';
import { createStallMeter, keepLooking, type StallMeter } from '../proof/stall.ts';
import { type Build, type Part, PARTS, startFleet } from './fleet.ts';
import { judge, type Verdict } from './judge.ts';
import { beginLives, continueLives, poorAccount, startBatch, startLoad } from './lives.ts';

/**
 * `rolling`: one part after the other. `with a return`: the same, with a return to the release in the middle. `at once`: all
 * processes end, and then those of the new build start.
 */
export const WAYS = ['rolling', 'with a return', 'at once'] as const;
export type Way = (typeof WAYS)[number];

export interface UpgradeOptions {
  /** The build before the upgrade, which leads to that of this checkout */
  release: Build;
  way: Way;
  /** All parts, in the order of a replacement one after the other */
  order: readonly Part[];
  /** Lifecycles besides those of the load */
  count: number;
  /** Time without an end after which open lifecycles count as lost, milliseconds */
  limitMs: number;
  temporal?: TemporalKind;
  report: (sentence: string) => void;
}

export interface UpgradeVerdict extends Verdict {
  /** Processes that did not end in order */
  faults: string[];
  /** The longest time without an end while an enhancement was in work, seconds */
  stallSeconds: number;
}

/** Replaces a release under load, part by part and process by process, and counts what it did to the lifecycles. */
export async function upgrade(options: UpgradeOptions): Promise<UpgradeVerdict> {
  const { release, way, order, count, limitMs, temporal, report } = options;
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
    const batch = await startBatch(cluster, pictures.port);
    const lives = await beginLives(scene, count);
    report(`${lives.length} lifecycles have begun.`);
    const load = startLoad(scene);
    const meter = createStallMeter();
    const stopLooking = await countEnhancements(cluster, meter);
    for (const [step, moves] of movesOf(way, order).entries()) {
      for (const { move, parts } of moves) {
        for (const part of parts) {
          if (move === 'end') await fleet.end(part);
          else if (move === 'begin') await fleet.begin(part, undefined);
          else await fleet.roll(part, move === 'forward' ? undefined : release);
          report(`${move}: ${part}.`);
        }
      }
      await continueLives(scene, lives, step);
    }
    const more = await load.stop();
    await batch();
    const verdict = await judge(cluster, receiver, [...lives, ...more], limitMs);
    await stopLooking();
    return { ...verdict, faults, stallSeconds: meter.seconds };
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}

const COUNTS = `select count(*) filter (where status in ('FINISHED', 'ERROR', 'CANCELLED'))::int as ended,
  count(*) filter (where status in ('QUEUED', 'PROCESSING'))::int as open from enhancements`;

/** @returns what ends the counting; call it before the cluster ends */
async function countEnhancements({ databaseUrl }: Cluster, meter: StallMeter): Promise<() => Promise<void>> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  // The cluster of an upgrade that failed ends before.
  database.on('error', () => undefined);
  const stop = keepLooking(meter, async () => (await database.query<{ ended: number; open: number }>(COUNTS)).rows[0]);
  return async () => {
    await stop();
    await database.end();
  };
}

interface Move {
  /** Replaces the processes by those of the new build or of the release, starts those of the new build, or ends the oldest */
  move: 'forward' | 'back' | 'begin' | 'end';
  parts: readonly Part[];
}

/** What happens before each of the three times at which lifecycles continue. */
function movesOf(way: Way, order: readonly Part[]): Move[][] {
  const [first, second] = order as [Part, Part];
  switch (way) {
    case 'rolling':
      return order.map((part) => [{ move: 'forward', parts: [part] }]);
    case 'with a return':
      return [
        [{ move: 'forward', parts: [first] }],
        [
          { move: 'forward', parts: [second] },
          { move: 'back', parts: [second, first] },
        ],
        [{ move: 'forward', parts: order }],
      ];
    case 'at once':
      return [
        [
          { move: 'end', parts: PARTS },
          { move: 'begin', parts: PARTS.toReversed() },
        ],
        [],
        [],
      ];
  }
}
