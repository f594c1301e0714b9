import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runAsMain, SetupError } from '../../../scripts/process.mjs';
import { startCluster } from '../../cluster/cluster.ts';
import { buildTemporalPrograms } from '../../cluster/temporal-programs.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { servePictures } from '../batches/pictures.ts';
import { type Build, type Part, PARTS, startFleet } from './fleet.ts';
import { judge, type Verdict } from './judge.ts';
import { beginLives, continueLives, poorAccount, startBatch, startLoad } from './lives.ts';
import { buildRelease, lastRelease } from './release.ts';

/**
 * `npm run test:upgrade -- [--count 200] [--order workflow-workers,engine-workers,gateways] [--from v1.0.0] [--temporal-cluster]`: an upgrade of a
 * cluster from the last release to this checkout under load, with a rollback in the middle, in each order of the parts or in
 * one. Exits with 1 if a lifecycle is lost, a workflow task fails, or anything is charged twice.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    order: { type: 'string' },
    from: { type: 'string' },
    'temporal-cluster': { type: 'boolean', default: false },
    limit: { type: 'string', default: '300' },
  },
});
const onNodes = values['temporal-cluster'];
const report = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

await runAsMain(async () => {
  if (onNodes) await buildTemporalPrograms(report);
  const from = values.from ?? (await lastRelease());
  report(`Building ${from} unless its build is cached ...`);
  const release = await buildRelease(from);
  const rows = [];
  for (const order of ordersOf(values.order)) {
    const begun = performance.now();
    const { faults, ...verdict } = await upgrade(release, order);
    const { lost, charged, failedTasks } = verdict;
    for (const problem of [...faults, ...lost, ...charged, ...failedTasks]) report(`  ${problem}`);
    if (faults.length + lost.length + charged.length + failedTasks.length > 0) process.exitCode = 1;
    rows.push({
      order: order.join(', '),
      lifecycles: verdict.lifecycles,
      lost: lost.length,
      'charged wrongly': charged.length,
      'failed workflow tasks': failedTasks.length,
      'workflow tasks': verdict.workflowTasks,
      'other faults': faults.length,
      seconds: Math.round((performance.now() - begun) / 1000),
    });
    report(`${verdict.workflows} workflows; their tasks ran on ${verdict.versions.join(' and ')}.`);
  }
  console.table(rows);
});

/** @param words parts in an order, with commas; undefined: every order */
function ordersOf(words: string | undefined): readonly (readonly Part[])[] {
  const [a, b, c] = PARTS;
  if (words === undefined) {
    return [
      [b, c, a],
      [b, a, c],
      [c, b, a],
      [c, a, b],
      [a, b, c],
      [a, c, b],
    ];
  }
  const order = words.split(',').map((word) => PARTS.find((part) => part.replace(' ', '-') === word));
  if (order.length === 3 && new Set(order).size === 3 && !order.includes(undefined)) return [order as Part[]];
  throw new SetupError(`--order needs ${PARTS.join(', ').replaceAll(' w', '-w')} in any order.`);
}

async function upgrade(release: Build, order: readonly Part[]): Promise<Verdict & { faults: string[] }> {
  report(`Order: ${order.join(', ')}.`);
  const operatorKey = randomBytes(24).toString('base64url');
  await using receiver = await webhookReceiver();
  await using pictures = await servePictures();
  const faults: string[] = [];
  const cluster = await startCluster({
    ...(onNodes ? { temporal: 'nodes' } : {}),
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
    const lives = await beginLives(scene, Number(values.count));
    report(`${lives.length} lifecycles have begun.`);
    const load = startLoad(scene);
    const roll = async (build: Build, ...parts: Part[]): Promise<void> => {
      for (const part of parts) {
        await fleet.roll(part, build);
        report(`${build === undefined ? 'Forward' : 'Back'}: ${part}.`);
      }
    };
    const [first, second, third] = order as [Part, Part, Part];
    await roll(undefined, first);
    await continueLives(scene, lives, 0);
    await roll(undefined, second);
    await roll(release, second, first);
    await continueLives(scene, lives, 1);
    await roll(undefined, first, second, third);
    await continueLives(scene, lives, 2);
    const more = await load.stop();
    await batch?.();
    return { ...(await judge(cluster, receiver, [...lives, ...more], Number(values.limit) * 1000)), faults };
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}
