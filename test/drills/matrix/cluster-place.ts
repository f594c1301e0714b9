import { Client } from 'pg';
import type { WholeCluster } from '../../cluster/cluster.ts';
import type { Member } from '../../cluster/member.ts';
import { emptyBucket } from '../../support/marked-store.ts';
import type { NetworkTrouble } from '../../support/network-proxy.ts';
import { decodersOf } from './faults.ts';
import type { Outage, Place, Processes, Row } from './place.ts';

const ROWS = `
  select u.id, u.original_filename as name, u.status, u.sub_status, u.error_code,
    e.id as enhancement, e.status as enhancement_status, e.error_code as enhancement_error,
    (select count(*)::int from credit_entries c where c.enhancement_id = e.id and c.kind = 'capture') as captures,
    (select count(*)::int from credit_entries c where c.enhancement_id = e.id and c.kind = 'reserve')
      - (select count(*)::int from credit_entries c where c.enhancement_id = e.id and c.kind in ('capture', 'release')) as reserved
  from uploads u left join enhancements e on e.upload_id = u.id
  where u.original_filename like $1 or u.id = any($2)`;

/** A cluster whose processes and parts fail one by one. A network cannot be killed. */
export function clusterPlace(whole: WholeCluster): Place {
  const { cluster } = whole;
  const { temporal, postgres, network, s3 } = cluster;
  const workers = (): Member[] => [whole.main, ...whole.engines];
  const trouble = (kind: NetworkTrouble) => async () => {
    await network.trouble(kind);
    return () => network.trouble(undefined);
  };
  const older =
    (copy: () => Promise<() => Promise<void>>): Outage =>
    async () => {
      const putBack = await copy();
      return () => restoreBackup(whole, putBack);
    };
  const [, node] = temporal.nodes;
  return {
    url: cluster.url,
    apiKey: cluster.apiKey,
    api: cluster.api,
    parts: {
      gateway: members(
        () => [whole.gateways[0]],
        async () => void (whole.gateways[0] = await cluster.startGateway()),
      ),
      'workflow worker': members(
        () => [whole.main],
        async () => void (whole.main = await cluster.startMain()),
      ),
      'engine worker': members(
        () => whole.engines,
        async () => void (whole.engines = await Promise.all(whole.engines.map(() => cluster.startEngine()))),
      ),
      decoders: decodersOf(workers),
      ...(node && { 'Temporal node': { ...node, pids: () => [node.pid()] } }),
      PostgreSQL: { ...postgres, pids: () => [postgres.pid()] },
      storage: { ...s3, stop: () => s3.kill(), pids: () => [s3.pid()] },
      'unmounted storage': () => emptyBucket(s3, cluster.bucket),
      ...(temporal.copy && { 'older Temporal': older(temporal.copy) }),
      'older database': older(() => postgres.copy()),
      'network that refuses': trouble('refuse'),
      'network that holds': trouble('hold'),
      'network that cuts': trouble('cut'),
    },
    async rows(prefix, ids) {
      const database = new Client({ connectionString: cluster.databaseUrl });
      await database.connect();
      try {
        return (await database.query<Row>(ROWS, [`${prefix}%`, ids])).rows;
      } finally {
        await database.end();
      }
    },
    files: () => cluster.files(),
    replaceDead: () => replaceDead(whole),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** Restores an older copy as an operator does: all processes of Burnish end, and start after it. */
async function restoreBackup(whole: WholeCluster, putBack: () => Promise<void>): Promise<void> {
  const { cluster } = whole;
  await Promise.all([...whole.gateways, whole.main, ...whole.engines].map((each) => each.kill()));
  await putBack();
  whole.main = await cluster.startMain();
  whole.engines = await Promise.all(whole.engines.map(() => cluster.startEngine()));
  whole.gateways = [await cluster.startGateway(), await cluster.startGateway()];
}

const members = (present: () => readonly Member[], start: () => Promise<void>): Processes => ({
  pids: () => present().map(({ pid }) => pid),
  kill: async () => void (await Promise.all(present().map((each) => each.kill()))),
  stop: async () => void (await Promise.all(present().map((each) => each.stop()))),
  start,
});

async function replaceDead(whole: WholeCluster): Promise<string[]> {
  const { cluster, gateways, engines } = whole;
  const died: string[] = [];
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
  return died;
}
