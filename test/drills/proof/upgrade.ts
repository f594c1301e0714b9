import { randomInt } from 'node:crypto';
import { PARTS } from '../upgrade/fleet.ts';
import { previousBuild } from '../upgrade/release.ts';
import { upgrade } from '../upgrade/upgrade.ts';
import { FINISH_WITHIN_MS, inRounds, type Proof, type ProofOptions } from './proof.ts';

/** Lifecycles of a round besides those of its load. */
const COUNT = 60;

/** Upgrades from an older build to this one with a return in the middle, each time with the parts in another random order. */
export async function proveUpgrades({ ms, onCluster, from, report }: ProofOptions): Promise<Proof> {
  await using previous = await previousBuild(from);
  report(`The upgrade leads from ${previous.name} to this build.`);
  return await inRounds(ms, async () => {
    const rest = [...PARTS];
    const order = PARTS.map(() => rest.splice(randomInt(rest.length), 1)[0]!);
    const verdict = await upgrade({
      ...{ release: previous.program, way: 'with a return', order, count: COUNT, limitMs: FINISH_WITHIN_MS, report },
      ...(onCluster && { temporal: 'nodes' }),
    });
    const { lost, charged, untold, failedTasks, faults } = verdict;
    return {
      ...{ lost, charged, untold, others: [...failedTasks, ...faults] },
      lifecycles: verdict.lifecycles,
      stallSeconds: verdict.stallSeconds,
      events: { 'upgrades and returns': 1, 'workflow tasks': verdict.workflowTasks },
    };
  });
}
