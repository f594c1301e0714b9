import { parseArgs } from 'node:util';
import { runAsMain, SetupError } from '../../../scripts/process.mjs';
import { buildTemporalPrograms } from '../../cluster/temporal-programs.ts';
import { type Part, PARTS } from './fleet.ts';
import { previousBuild } from './release.ts';
import { upgradeDataFolder } from './data-folder.ts';
import { upgrade, WAYS } from './upgrade.ts';

/**
 * `npm run test:upgrade -- [--count 200] [--order workflow-workers,engine-workers,gateways] [--from v1.0.0] [--way 'at once']
 * [--data-folder] [--temporal-cluster]`: an upgrade of a cluster from the last release to this checkout under load, with a return in
 * the middle, in each order of the parts or in one. Another way needs no order. With `--data-folder`, an instance of one process and
 * its data folder. Exits with 1 if a lifecycle is lost, a workflow task fails, or anything is charged twice.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    order: { type: 'string' },
    from: { type: 'string' },
    way: { type: 'string', default: 'with a return' },
    'data-folder': { type: 'boolean', default: false },
    'temporal-cluster': { type: 'boolean', default: false },
    limit: { type: 'string', default: '300' },
  },
});
const onNodes = values['temporal-cluster'];
const report = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

await runAsMain(async () => {
  const way = WAYS.find((each) => each === values.way);
  if (way === undefined) throw new SetupError(`--way is one of: ${WAYS.join(', ')}.`);
  if (onNodes) await buildTemporalPrograms(report);
  report('Building the previous build unless it is cached ...');
  await using previous = await previousBuild(values.from);
  const { name, program: release } = previous;
  report(`The upgrade leads from ${name} to this build.`);
  if (values['data-folder']) {
    const { lifecycles, faults } = await upgradeDataFolder(release, report);
    for (const fault of faults) report(`  ${fault}`);
    report(`${lifecycles} lifecycles of a data folder: ${faults.length} faults.`);
    if (faults.length > 0) process.exitCode = 1;
    return;
  }
  const rows = [];
  for (const order of way === 'with a return' || values.order ? ordersOf(values.order) : [PARTS]) {
    const begun = performance.now();
    const { faults, ...verdict } = await upgrade({
      release,
      order,
      count: Number(values.count),
      way,
      limitMs: Number(values.limit) * 1_000,
      ...(onNodes && { temporal: 'nodes' }),
      report,
    });
    const { lost, charged, untold, failedTasks } = verdict;
    for (const problem of [...faults, ...lost, ...charged, ...untold, ...failedTasks]) report(`  ${problem}`);
    if (faults.length + lost.length + charged.length + untold.length + failedTasks.length > 0) process.exitCode = 1;
    rows.push({
      way: way === 'with a return' ? order.join(', ') : way,
      lifecycles: verdict.lifecycles,
      lost: lost.length,
      'charged wrongly': charged.length,
      untold: untold.length,
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
