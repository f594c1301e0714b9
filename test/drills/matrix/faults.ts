import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, type ProcessIdentity } from '../../../src/process/process-identity.ts';
import type { Member } from '../../cluster/member.ts';
import type { WholeCluster } from '../../cluster/cluster.ts';
import { commandLine, killAtOnce, processTree } from '../../e2e/processes.ts';
import { emptyBucket } from '../../support/marked-store.ts';
import type { NetworkTrouble } from '../../support/network-proxy.ts';

export const COMPONENTS = [
  'gateway',
  'workflow worker',
  'engine worker',
  'decoders',
  'Temporal node',
  'PostgreSQL',
  'storage',
  'unmounted storage',
  'older Temporal',
  'older database',
  'network that refuses',
  'network that holds',
  'network that cuts',
] as const;
export type Component = (typeof COMPONENTS)[number];

/** The failing component of a row; `nothing` measures the time without a fault. */
export type Failing = Component | 'nothing';

export const FAULTS = ['kill', 'stop', 'long stop', 'restart'] as const;
export type Fault = (typeof FAULTS)[number];

/** Durations of faults in seconds. */
export interface FaultTimes {
  stop: number;
  longStop: number;
}

/** Time until an orchestrator replaces a dead process. */
const REPLACED_AFTER_MS = 3_000;
/** Interval in which a stop reaches processes that replace stopped ones. */
const STOPPED_EVERY_MS = 1_000;

/** A part of the cluster that can fail and recover. */
interface Target {
  pids(): number[];
  kill(): Promise<void>;
  /** Requests an orderly end; storage is killed instead */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Makes one part of a cluster fail, and returns after its recovery. A network cannot be killed: its restart is an interruption
 * of seconds.
 */
export async function commit(whole: WholeCluster, component: Failing, fault: Fault, times: FaultTimes): Promise<void> {
  if (component === 'nothing') return;
  const seconds = fault === 'long stop' ? times.longStop : times.stop;
  const trouble = /^network that (\w+)s$/.exec(component)?.[1] as NetworkTrouble | undefined;
  if (trouble !== undefined) {
    const { network } = whole.cluster;
    await network.trouble(trouble);
    await delay(fault === 'restart' ? REPLACED_AFTER_MS : seconds * 1000);
    return network.trouble(undefined);
  }
  if (component === 'unmounted storage') {
    const remount = await emptyBucket(whole.cluster.s3, whole.cluster.bucket);
    await delay(fault === 'restart' ? REPLACED_AFTER_MS : seconds * 1000);
    return remount();
  }
  if (component === 'older Temporal' || component === 'older database') {
    const { temporal, postgres } = whole.cluster;
    const putBack = await (component === 'older database' ? postgres.copy() : temporal.copy!());
    await delay(seconds * 1000);
    return restoreBackup(whole, putBack);
  }
  const target = targetOf(whole, component);
  if (fault === 'kill' || fault === 'restart') {
    await (fault === 'kill' ? target.kill() : target.stop());
    await delay(fault === 'kill' ? REPLACED_AFTER_MS : 0);
    return target.start();
  }
  const stopped: ProcessIdentity[] = [];
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await delay(STOPPED_EVERY_MS)) {
    const others = target.pids().filter((pid) => !stopped.some((each) => each.pid === pid));
    const found = others.flatMap(processTree);
    for (const { pid } of found) process.kill(pid, 'SIGSTOP');
    stopped.push(...found);
  }
  for (const each of stopped) if (isRunning(each)) process.kill(each.pid, 'SIGCONT');
}

/** Whether the combination exists. A network cannot be killed, and a Temporal node exists only in a cluster of several. */
export function exists(whole: WholeCluster, component: Component, fault: Fault): boolean {
  if (component.startsWith('network') || component === 'unmounted storage') return fault !== 'kill';
  if (component === 'older database') return fault === 'stop';
  if (component === 'older Temporal') return fault === 'stop' && whole.cluster.temporal.copy !== undefined;
  return component !== 'Temporal node' || whole.cluster.temporal.nodes.length > 0;
}

/** Restores an older copy as an operator does: all processes of Burnish end, and start after it. */
async function restoreBackup(whole: WholeCluster, putBack: () => Promise<void>): Promise<void> {
  const { cluster } = whole;
  await Promise.all([...whole.gateways, whole.main, ...whole.engines].map((each) => each.kill()));
  await putBack();
  whole.main = await cluster.startMain();
  whole.engines = await Promise.all(whole.engines.map(() => cluster.startEngine()));
  whole.gateways = [await cluster.startGateway(), await cluster.startGateway()];
}

function targetOf(whole: WholeCluster, component: Component): Target {
  const { cluster } = whole;
  switch (component) {
    case 'gateway':
      return ofMembers([whole.gateways[0]], async () => {
        whole.gateways[0] = await cluster.startGateway();
      });
    case 'workflow worker':
      return ofMembers([whole.main], async () => {
        whole.main = await cluster.startMain();
      });
    case 'engine worker':
      return ofMembers(whole.engines, async () => {
        whole.engines = await Promise.all(whole.engines.map(() => cluster.startEngine()));
      });
    case 'decoders': {
      const owners = (): Member[] => [whole.main, ...whole.engines];
      const decoders = (): ProcessIdentity[] =>
        owners()
          .flatMap(({ pid }) => processTree(pid))
          .filter((each) => commandLine(each).includes('jail-child'));
      const kill = (): Promise<void> => killAtOnce(decoders());
      return { pids: () => decoders().map(({ pid }) => pid), kill, stop: kill, start: () => Promise.resolve() };
    }
    case 'Temporal node': {
      const [, node] = cluster.temporal.nodes;
      return { ...node!, pids: () => [node!.pid()] };
    }
    case 'PostgreSQL':
      return { ...cluster.postgres, pids: () => [cluster.postgres.pid()] };
    case 'storage':
      return { ...cluster.s3, stop: () => cluster.s3.kill(), pids: () => [cluster.s3.pid()] };
    default:
      throw new Error(`There is no process behind "${component}".`);
  }
}

function ofMembers(members: readonly Member[], start: () => Promise<void>): Target {
  return {
    pids: () => members.map(({ pid }) => pid),
    async kill() {
      await Promise.all(members.map((each) => each.kill()));
    },
    async stop() {
      await Promise.all(members.map((each) => each.stop()));
    },
    start,
  };
}
