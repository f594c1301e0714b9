import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { run, runAsMain, SetupError } from '../../../scripts/process.mjs';
import { buildTemporalPrograms } from '../../cluster/temporal-programs.ts';
import { repositoryRoot } from '../../support/repository.ts';
import { proveBatches } from './batch.ts';
import { proveFaults } from './faults.ts';
import { type Proof, type ProofOptions, proofTable, sentencesOf } from './proof.ts';
import { proveRestores } from './restore.ts';
import { proveSoak } from './soak.ts';
import { proveUpgrades } from './upgrade.ts';

const RUNS: Readonly<Record<string, (options: ProofOptions) => Promise<Proof>>> = {
  soak: proveSoak,
  batch: proveBatches,
  faults: proveFaults,
  upgrade: proveUpgrades,
  restore: proveRestores,
};

/**
 * `npm run proof -- soak|batch|faults|upgrade|restore [--hours 2] [--rate 0.5] [--temporal-cluster] [--from v1.0.0]`: runs one of
 * these for a time, and prints what ran and what it lost, charged twice, did not tell, and how long it stalled. `--rate` is the
 * number of lifecycles that begin in a second. With `--temporal-cluster`, faults and upgrades meet two gateways and two nodes of
 * Temporal. Exits with 1 if anything is wrong.
 */
await runAsMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      hours: { type: 'string', default: '2' },
      rate: { type: 'string', default: '0.5' },
      'temporal-cluster': { type: 'boolean', default: false },
      from: { type: 'string' },
    },
  });
  const [name = ''] = positionals;
  const prove = RUNS[name];
  const [hours, perSecond] = [Number(values.hours), Number(values.rate)];
  if (prove === undefined || positionals.length !== 1)
    throw new SetupError(`Expected one of ${Object.keys(RUNS).join(', ')}, but received "${positionals.join(' ')}".`);
  if (!(hours > 0) || !(perSecond > 0)) throw new SetupError('--hours and --rate are numbers above 0.');
  const report = (sentence: string): void =>
    void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${sentence}\n`);
  const onCluster = values['temporal-cluster'];
  if (onCluster) await buildTemporalPrograms(report);
  const { output: commit } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: repositoryRoot, quiet: true });
  const load = loadavg()[0]!.toFixed(1);
  const begun = performance.now();
  const proof = await prove({
    ...{ ms: hours * 3_600_000, perSecond, onCluster, report },
    ...(values.from !== undefined && { from: values.from }),
  });
  const seconds = (performance.now() - begun) / 1000;
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, load ${load} before`;
  console.log(`${machine} and ${loadavg()[0]!.toFixed(1)} after. Node ${process.version}, commit ${commit.trim()}.\n`);
  console.log(proofTable(name, seconds, proof));
  if (proof.details !== undefined) console.log(`\n${proof.details}`);
  const faults = sentencesOf(proof);
  for (const fault of faults) report(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
});
