import '../setup/quiet-temporal.ts';
import { afterAll, expect, test } from '@jest/globals';
import { previousBuild } from '../drills/upgrade/release.ts';
import { upgrade } from '../drills/upgrade/upgrade.ts';

// At load time, because a build outlasts a hook.
const previous = await previousBuild();

/** Time on a busy machine, milliseconds; a quiet one needs a fifth of it at most. */
const BUSY_MS = 900_000;

afterAll(async () => await previous[Symbol.asyncDispose]());

test(
  `an upgrade from ${previous.name} under load loses nothing, and charges nothing twice`,
  async () => {
    const { lost, charged, untold, failedTasks, faults, versions, lifecycles } = await upgrade({
      release: previous.program,
      order: ['workflow workers', 'engine workers', 'gateways'],
      count: 24,
      way: 'rolling',
      limitMs: 240_000,
      report: () => undefined,
    });
    expect({ lost, charged, untold, failedTasks, faults }).toEqual({
      ...{ lost: [], charged: [], untold: [] },
      ...{ failedTasks: [], faults: [] },
    });
    expect(versions).toHaveLength(2);
    expect(lifecycles).toBeGreaterThan(24);
  },
  BUSY_MS,
);
