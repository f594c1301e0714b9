import '../setup/quiet-temporal.ts';
import { afterAll, expect, test } from '@jest/globals';
import { buildRelease, lastRelease } from '../drills/upgrade/release.ts';
import { upgrade } from '../drills/upgrade/upgrade.ts';
import { twinBuild } from '../support/twin-build.ts';

// At load time, because a build outlasts a hook. A clone without tags has no release: its own build then takes that place.
const release = await lastRelease().catch(() => undefined);
const twin = release === undefined ? await twinBuild('aaaaaaaaaaaa') : undefined;
const program = twin?.program ?? (await buildRelease(release!));
const name = release ?? 'a copy of this build, since this clone has no tag of a release';

/** Time on a busy machine, milliseconds; a quiet one needs a fifth of it at most. */
const BUSY_MS = 900_000;

afterAll(() => twin?.[Symbol.asyncDispose]());

test(
  `an upgrade from ${name} under load loses nothing, and charges nothing twice`,
  async () => {
    const { lost, charged, failedTasks, faults, versions, lifecycles } = await upgrade({
      release: program,
      order: ['workflow workers', 'engine workers', 'gateways'],
      count: 24,
      way: 'rolling',
      limitMs: 240_000,
      report: () => undefined,
    });
    expect({ lost, charged, failedTasks, faults }).toEqual({ lost: [], charged: [], failedTasks: [], faults: [] });
    expect(versions).toHaveLength(2);
    expect(lifecycles).toBeGreaterThan(24);
  },
  BUSY_MS,
);
