import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startWholeCluster } from '../../cluster/cluster.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { clusterPlace } from '../matrix/cluster-place.ts';
import { embeddedPlace } from '../matrix/embedded-place.ts';
import { commit, COMPONENTS, type Component, exists, type Fault, FAULTS } from '../matrix/faults.ts';
import { replaceTheDead } from '../matrix/orchestrator.ts';
import type { Place } from '../matrix/place.ts';
import type { Proof, ProofOptions } from './proof.ts';
import { listenTo, startTraffic } from './traffic.ts';

/** Seconds of a stop or an outage. */
const TIMES = { stop: 8, longStop: 8 };
const PAUSE_BETWEEN_FAULTS_MS = 5_000;

/** Mixed work while one part after the other fails: every fault of the matrix that loses no data by itself, in random order. */
export async function proveFaults({ ms, perSecond, onCluster, report }: ProofOptions): Promise<Proof> {
  await using receiver = await webhookReceiver();
  const env = {
    BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
    BURNISH_CREDITS_PER_PERIOD: '10000000',
    BURNISH_LOG_LEVEL: 'error',
  };
  await using place = onCluster
    ? clusterPlace(await startWholeCluster({ report, troubledNetwork: true, env, temporal: 'nodes' }))
    : await embeddedPlace(env);
  await listenTo(place, receiver);
  const traffic = startTraffic({ place, receiver, row: 'faults' }, perSecond);
  const events: Record<string, number> = {};
  const deck: (readonly [Component, Fault])[] = [];
  for (const until = performance.now() + ms; performance.now() < until;) {
    if (deck.length === 0) deck.push(...faultsOf(place));
    const [component, fault] = deck.splice(randomInt(deck.length), 1)[0]!;
    const name = typeof place.parts[component] === 'function' ? component : `${fault} of ${component}`;
    report(`${name}; ${traffic.lives.length} begun, stall ${traffic.stallSeconds.toFixed(0)} s`);
    await commit(place, component, fault, TIMES);
    events[name] = (events[name] ?? 0) + 1;
    const orchestrator = replaceTheDead(place);
    await delay(PAUSE_BETWEEN_FAULTS_MS);
    await orchestrator.stop();
    for (const died of orchestrator.died) report(`  died of itself, and was replaced: ${died}`);
  }
  const orchestrator = replaceTheDead(place);
  const harm = await traffic.judge();
  await orchestrator.stop();
  return { ...harm, lifecycles: traffic.lives.length, stallSeconds: traffic.stallSeconds, events };
}

/** An outage lasts as long in each way, so it counts once. */
function faultsOf(place: Place): (readonly [Component, Fault])[] {
  const components = COMPONENTS.filter((component) => !component.startsWith('older'));
  return components.flatMap((component) =>
    FAULTS.filter((fault) => fault !== 'long stop' && exists(place, component, fault))
      .filter((fault) => typeof place.parts[component] !== 'function' || fault === 'stop')
      .map((fault) => [component, fault] as const),
  );
}
