import { setTimeout as delay } from 'node:timers/promises';
import type { WholeCluster } from '../../cluster/cluster.ts';

const LOOKS_EVERY_MS = 1_000;

export interface Orchestrator {
  /** Names of processes that exited on their own */
  died: string[];
  stop(): Promise<void>;
}

/** Replaces each dead process, like an orchestrator of a cluster. */
export function replaceTheDead(whole: WholeCluster): Orchestrator {
  const died: string[] = [];
  let running = true;
  const { cluster } = whole;
  const look = async (): Promise<void> => {
    const { gateways, engines } = whole;
    for (const [index, gateway] of gateways.entries()) {
      if (gateway.running()) continue;
      gateways[index] = await cluster.startGateway();
      died.push(gateway.name);
    }
    if (!whole.main.running()) {
      const { name } = whole.main;
      whole.main = await cluster.startMain();
      died.push(name);
    }
    for (const [index, engine] of engines.entries()) {
      if (engine.running()) continue;
      engines[index] = await cluster.startEngine();
      died.push(engine.name);
    }
  };
  const looking = (async () => {
    while (running) {
      // If a process cannot start because a dependency is unavailable, the next round starts it again.
      await look().catch(() => undefined);
      await delay(LOOKS_EVERY_MS);
    }
  })();
  return {
    died,
    async stop() {
      running = false;
      await looking;
    },
  };
}
