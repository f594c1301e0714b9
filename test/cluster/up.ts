import { once } from 'node:events';
import { startWholeCluster } from './cluster.ts';
import { buildTemporalPrograms } from './temporal-programs.ts';

/** `npm run cluster [-- --temporal-cluster]` runs a complete cluster on this machine until Ctrl-C. */
const report = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const stopped = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));

const hasNodes = process.argv.includes('--temporal-cluster');
if (hasNodes) await buildTemporalPrograms(report);
const starting = startWholeCluster({
  report,
  ui: true,
  env: { BURNISH_CREDITS_PER_PERIOD: '1000000' },
  ...(hasNodes ? { temporal: 'nodes' } : {}),
});
await Promise.race([starting, stopped]);
// A signal during the start takes effect after the start, so that no process remains.
const { cluster, gateways } = await starting;
process.stdout.write(
  [
    '',
    'A cluster is up: two gateways, a workflow worker, two engine workers.',
    '',
    `  Balancer      ${cluster.url}`,
    ...gateways.map(({ name, url }) => `  ${name.padEnd(13)} ${url}`),
    `  API key       ${cluster.apiKey}`,
    `  Webhooks      ${cluster.webhookSecret}`,
    `  Temporal      ${cluster.temporal.address}`,
    `  Temporal UI   ${cluster.temporal.uiUrl ?? 'none'}`,
    `  PostgreSQL    ${cluster.databaseUrl}`,
    `  S3            ${cluster.s3.endpoint}/${cluster.bucket}`,
    ...cluster.members.map(({ name, pid }) => `  process ${String(pid).padEnd(8)}${name}`),
    '',
    'Nothing of it is kept. Ctrl-C stops it.',
    '',
  ].join('\n'),
);
await stopped;
report('Stopping.');
await cluster[Symbol.asyncDispose]();
