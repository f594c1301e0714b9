import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { buildTemporalPrograms } from '../test/cluster/temporal-programs.ts';
import { measureInspections } from './capacity/inspections.ts';
import { measureScale } from './capacity/scale.ts';
import { measureUploads } from './capacity/uploads.ts';

/**
 * The figures of docs/capacity.md. `npm run bench:capacity -- uploads --jobs 40` measures the resources of one upload, `inspections`
 * the rate of inspections alone, and `scale` the rate of gateways and workers on one PostgreSQL. With `--temporal-cluster`, Temporal is
 * two nodes that are built from source once.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '40' },
    'temporal-cluster': { type: 'boolean', default: false },
    'engine-ms': { type: 'string', default: '250' },
    'inspection-ms': { type: 'string', default: '10' },
    seconds: { type: 'string', default: '30' },
  },
});
const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const PARTS: Record<string, () => Promise<void>> = {
  uploads: () => measureUploads(Number(values.jobs)),
  inspections: measureInspections,
  async scale() {
    const temporalNodes = values['temporal-cluster'];
    if (temporalNodes) await buildTemporalPrograms(said);
    const waits = { engineMs: Number(values['engine-ms']), inspectionMs: Number(values['inspection-ms']) };
    await measureScale({ temporalNodes, ...waits, seconds: Number(values.seconds), said });
  },
};
console.log(
  `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}\n`,
);
for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const measure = PARTS[name];
  if (measure === undefined) throw new Error(`${name} is no part: name one of ${Object.keys(PARTS).join(', ')}.`);
  await measure();
}
