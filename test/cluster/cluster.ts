import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Api, createApi } from '../e2e/api.ts';
import { cleanEnvironment, runCommand } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testPort } from '../support/test-port.ts';
import { until } from '../support/until.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { CHECKPOINT_KEY, MARKER_KEY } from '../../src/storage/marked-storage.ts';
import { startBalancer } from './balancer.ts';
import { type Member, startMember } from './member.ts';
import { type ClusterNetwork, startNetwork } from './network.ts';
import { type ClusterTemporal, startClusterTemporal, type TemporalKind } from './temporal.ts';

export interface GatewayMember extends Member {
  url: string;
  api: Api;
}

/** A cluster of Burnish on one machine, with the same processes as on several machines. */
export interface Cluster {
  /** Address of the balancer, which passes connections to the gateways in turn */
  url: string;
  apiKey: string;
  api: Api;
  /** Webhook secret of the default account, as the first gateway printed it */
  webhookSecret: string;
  s3: S3Server;
  bucket: string;
  temporal: ClusterTemporal;
  databaseUrl: string;
  postgres: Postgres;
  network: ClusterNetwork;
  members: Member[];
  /** @param program of another build, as the other starts take it; default: the build of this checkout */
  startGateway(program?: readonly string[]): Promise<GatewayMember>;
  startMain(program?: readonly string[]): Promise<Member>;
  /** @param core processor core of the process; undefined: any core */
  startEngine(core?: number, program?: readonly string[]): Promise<Member>;
  /** Runs a command of the operator on the database of the cluster, and returns what it prints */
  operate(...args: string[]): Promise<string>;
  /** Lists the files of the bucket on the disk of the storage server, without the marker and the checkpoint of the instance */
  files(): Promise<string[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ClusterOptions {
  /** Settings for every process of Burnish */
  env?: NodeJS.ProcessEnv;
  /** Receives one sentence about each step of the start */
  report?: (sentence: string) => void;
  /** Port of the balancer; default: a free port */
  port?: number;
  /** Whether a development server of Temporal serves its Web UI */
  ui?: boolean;
  /** Whether the processes reach PostgreSQL, storage and Temporal through proxies that can inject network faults */
  troubledNetwork?: boolean;
  /** Default: the kind that TEMPORAL_ADDRESS and TEST_TEMPORAL_CLUSTER select */
  temporal?: TemporalKind;
  /** Whether PostgreSQL syncs commits to disk, as an operator's server does */
  durable?: boolean;
}

/** Starts PostgreSQL, an S3 server, a Temporal server and a balancer. All processes of Burnish share them. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const parts: AsyncDisposable[] = [];
  try {
    return await build(options, parts);
  } catch (error) {
    await dispose(parts);
    throw error;
  }
}

/** Disposes of the last part first, because each part depends on earlier ones. */
async function dispose(parts: AsyncDisposable[]): Promise<void> {
  for (const part of parts.splice(0).reverse()) await part[Symbol.asyncDispose]();
}

async function build(options: ClusterOptions, parts: AsyncDisposable[]): Promise<Cluster> {
  const { report = () => undefined } = options;
  const use = <T extends AsyncDisposable>(part: T): T => {
    parts.push(part);
    return part;
  };
  const postgres = use(await startPostgres(undefined, undefined, { durable: options.durable === true }));
  report('PostgreSQL is up.');
  const s3 = use(await startS3Server());
  const bucket = await s3.createBucket();
  report('The S3 server is up.');
  const temporal = use(
    await startClusterTemporal({ kind: options.temporal, ui: options.ui === true, postgresUrl: postgres.url, report }),
  );
  const network = use(
    await startNetwork({ postgresUrl: postgres.url, s3Endpoint: s3.endpoint, temporalAddress: temporal.address }),
  );
  const balancer = use(await startBalancer(options.port ?? (await testPort())));
  const url = `http://127.0.0.1:${balancer.port}`;
  const apiKey = `cluster-${randomBytes(16).toString('hex')}`;
  const env = {
    ...s3.env,
    DATABASE_URL: postgres.url,
    ...temporal.env,
    ...(options.troubledNetwork === true ? network.env : {}),
    BURNISH_STORAGE: `s3://${bucket}/burnish`,
    BURNISH_PUBLIC_URL: url,
    BURNISH_TEMPORAL_UI_URL: temporal.uiUrl ?? '',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    BURNISH_BOOTSTRAP_API_KEY: apiKey,
    // Each member has its own data folder, but all members decrypt the same values.
    BURNISH_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    // Uses the neural networks in the repository, so that the start downloads nothing.
    BURNISH_ENGINE_TIER: 'fast',
    ...options.env,
  };

  const members: Member[] = [];
  use({
    async [Symbol.asyncDispose]() {
      await Promise.all(members.filter((each) => each.running()).map((each) => each.kill()));
    },
  });
  const start = async (
    name: string,
    args: string[],
    { port, core, program }: { port?: number; core?: number | undefined; program?: readonly string[] | undefined } = {},
  ): Promise<Member> => {
    const own = port === undefined ? env : { ...env, BURNISH_PORT: String(port) };
    const member = await startMember({ name, args, env: own, core, program });
    members.push(member);
    report(`${name} is up${core === undefined ? '' : `, on core ${core}`}.`);
    return member;
  };
  let ending: Promise<void> | undefined;
  const counts = new Map<string, number>();
  const numbered = (name: string): string => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return `${name} ${counts.get(name)}`;
  };
  return {
    url,
    apiKey,
    api: createApi(url, apiKey),
    get webhookSecret() {
      const printed = members.map((each) => /Webhooks +(whsec_\S+)/.exec(each.output())?.[1]);
      return printed.find((each) => each !== undefined) ?? '';
    },
    s3,
    bucket,
    temporal,
    databaseUrl: postgres.url,
    postgres,
    network,
    members,
    async startGateway(program) {
      const port = await testPort();
      const member = await start(numbered('gateway'), ['gateway'], { port, program });
      balancer.targets.push(port);
      // Another program of this machine may get the port then.
      void member.ended.then(() => balancer.targets.splice(balancer.targets.indexOf(port), 1));
      const own = `http://127.0.0.1:${port}`;
      return { ...member, url: own, api: createApi(own, apiKey) };
    },
    startMain: (program) => start(numbered('main worker'), ['worker', '--role', 'main'], { program }),
    startEngine: (core, program) => start(numbered('engine worker'), ['worker', '--role', 'engine'], { core, program }),
    async operate(...args) {
      await using folder = await temporaryFolder();
      const own = await cleanEnvironment({ ...env, BURNISH_DATA_DIR: folder.path });
      const command = runCommand(args, own, { cwd: folder.path });
      if ((await command.ended) !== 0) throw new Error(`burnish ${args.join(' ')} failed:\n${command.output()}`);
      return command.stdout();
    },
    files: async () =>
      (await s3.filesOf(bucket)).filter((path) => ![MARKER_KEY, CHECKPOINT_KEY].some((key) => path.includes(key))),
    // A second call waits for the same disposal.
    [Symbol.asyncDispose]: () => (ending ??= dispose(parts)),
  };
}

export interface WholeCluster {
  cluster: Cluster;
  gateways: [GatewayMember, GatewayMember];
  main: Member;
  engines: Member[];
}

/** Starts two gateways, a workflow worker and two engine workers. Each engine worker has its own core if two cores exist. */
export async function startWholeCluster(options: ClusterOptions = {}): Promise<WholeCluster> {
  const cluster = await startCluster(options);
  try {
    const cores = availableParallelism() > 1 ? [0, 1] : [undefined, undefined];
    const first = await cluster.startGateway();
    const [second, main, ...engines] = await Promise.all([
      cluster.startGateway(),
      cluster.startMain(),
      ...cores.map((core) => cluster.startEngine(core)),
    ]);
    await until(async () => ((await fetch(`${cluster.url}/readyz`)).ok ? true : undefined));
    return { cluster, gateways: [first, second], main, engines };
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}
