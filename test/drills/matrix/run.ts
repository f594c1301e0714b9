import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startWholeCluster } from '../../cluster/cluster.ts';
import { buildTemporalPrograms } from '../../cluster/temporal-programs.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { clusterPlace } from './cluster-place.ts';
import { embeddedPlace } from './embedded-place.ts';
import { COMPONENTS, exists, FAULTS } from './faults.ts';
import { STAGES } from './lives.ts';
import { type MatrixRow, matrixTable } from './table.ts';
import { runRow } from './row.ts';

/**
 * `npm run test:matrix -- [--embedded] [--temporal-cluster] [--only storage,gateway] [--faults kill,stop] [--stages upload,spans]`:
 * every part of a cluster fails in every way while lifecycles are at every stage; with `--embedded`, every part of one process
 * with its own database, Temporal and storage. Prints a table. Exits with
 * 1 if anything is lost, duplicated, orphaned, misreported or still open at the `--limit`. `--stop` and `--long-stop` are in seconds. The full run takes
 * an hour. `npm run proof -- faults` sends mixed work while parts fail in random order.
 */
const { values } = parseArgs({
  options: {
    embedded: { type: 'boolean', default: false },
    'temporal-cluster': { type: 'boolean', default: false },
    only: { type: 'string', default: COMPONENTS.join(',') },
    faults: { type: 'string', default: FAULTS.join(',') },
    stages: { type: 'string', default: STAGES.join(',') },
    stop: { type: 'string', default: '60' },
    'long-stop': { type: 'string', default: '150' },
    limit: { type: 'string', default: '120' },
    notes: { type: 'string' },
  },
});
const chosen = <T extends string>(all: readonly T[], words: string): T[] =>
  all.filter((each) => words.split(',').includes(each));
const stages = chosen(STAGES, values.stages);
const times = { stop: Number(values.stop), longStop: Number(values['long-stop']) };
const limit = Number(values.limit);
const report = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

if (values['temporal-cluster'] === true) await buildTemporalPrograms(report);
await using receiver = await webhookReceiver();
const env = {
  BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}`,
  BURNISH_CREDITS_PER_PERIOD: '10000000',
  BURNISH_LOG_LEVEL: 'error',
};
const temporal = values['temporal-cluster'] === true ? { temporal: 'nodes' as const } : {};
await using place =
  values.embedded === true
    ? await embeddedPlace(env)
    : clusterPlace(await startWholeCluster({ report, troubledNetwork: true, env, ...temporal }));
process.exitCode = (await runTable()) ? 0 : 1;

/** Prints the rows so far also after a failure. */
async function runTable(): Promise<boolean> {
  const rows: MatrixRow[] = [];
  const row = { stages, times, limitMs: limit * 1000 };
  const usual = await runRow(place, receiver, { ...row, component: 'nothing', fault: 'restart' });
  try {
    for (const component of chosen(COMPONENTS, values.only)) {
      for (const fault of chosen(FAULTS, values.faults)) {
        if (!exists(place, component, fault)) continue;
        const begun = performance.now();
        const cells = await runRow(place, receiver, { ...row, component, fault });
        rows.push({ component, fault, cells });
        report(`${component}, ${fault}: ${((performance.now() - begun) / 1000).toFixed(0)} s`);
        for (const note of stages.flatMap((stage) => cells[stage].notes)) {
          report(`  ${note}`);
          if (values.notes !== undefined) appendFileSync(values.notes, `${component}, ${fault}: ${note}\n`);
        }
      }
    }
  } finally {
    console.log(matrixTable(usual, rows, stages, limit));
  }
  const cells = rows.flatMap(({ cells }) => stages.map((stage) => cells[stage]));
  return cells.every(
    ({ lost, doubled, orphaned, toldWrongly, stalledSeconds }) =>
      lost + doubled + orphaned + toldWrongly === 0 && stalledSeconds !== undefined,
  );
}
