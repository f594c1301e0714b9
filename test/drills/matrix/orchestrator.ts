import { setTimeout as delay } from 'node:timers/promises';
import type { Place } from './place.ts';

const LOOKS_EVERY_MS = 1_000;

export interface Orchestrator {
  /** Names of processes that exited on their own */
  died: string[];
  stop(): Promise<void>;
}

/** Replaces each dead process, like an orchestrator of a cluster. */
export function replaceTheDead(place: Place): Orchestrator {
  const died: string[] = [];
  let running = true;
  const looking = (async () => {
    while (running) {
      // If a process cannot start because a dependency is unavailable, the next round starts it again.
      died.push(...(await place.replaceDead().catch(() => [])));
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
