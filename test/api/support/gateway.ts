import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Account } from '@burnish/contract';
import type { GatewayDeps } from '../../../src/api/deps.ts';
import { createLogger } from '../../../src/api/http/logger.ts';
import { createDatabaseMetrics } from '../../../src/api/metrics/database-metrics.ts';
import { startGateway, type GatewayServer, type ServerOptions } from '../../../src/api/server.ts';
import { webhookSecretAad } from '../../../src/database/accounts/accounts.ts';
import { ensureInitialAccount } from '../../../src/database/accounts/initial-account.ts';
import type { Database } from '../../../src/database/database.ts';
import { createStores, type Stores } from '../../../src/database/stores.ts';
import { accounts as accountsTable } from '../../../src/database/schema/accounts.ts';
import { openPreviewEngine } from '../../../src/runtime/preview-engine.ts';
import { accountBucketOpener } from '../../../src/runtime/open-account-buckets.ts';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import { detectMediaType } from '../../../packages/engine/src/detect.ts';
import { createSafeFetch } from '../../../src/net/safe-fetch.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { assertDocumented } from '../../support/described-operations.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recordingTemporal, type RecordingTemporal } from './recording-temporal.ts';
import { decodeRequest } from '../../../src/temporal/decode-request.ts';
import { testKeyRing, testVault } from '../../support/test-vault.ts';
import { useForFile } from '../../support/use-for.ts';

/** Tests define the type of a body: a wrong type fails the test. */
export interface TestResponse extends Response {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json(): Promise<any>;
}

export interface TestGateway extends AsyncDisposable {
  url: string;
  /** API keys of two independent accounts */
  key: string;
  foreignKey: string;
  account: Account;
  records: Stores;
  database: Database;
  storage: GatewayDeps['storage'];
  temporal: RecordingTemporal;
  gateway: GatewayServer;
  /** The complete log, as JSON lines */
  logged: () => string;
  /** Milliseconds by which the gateway's clock is ahead */
  clock: { aheadMs: number; /** Passes at each reading */ stepMs: number };
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<TestResponse>;
}

/** Operator's key of every test gateway */
export const OPERATOR_KEY = 'the-operators-key-for-tests';
export const METRICS_TOKEN = 'the-metrics-token-for-tests';

/** A gateway with real HTTP, storage and database; only the workflow service is fake. */
export async function testGateway(
  { stores, ...overrides }: Partial<Omit<GatewayDeps, 'stores'>> & { stores?: Partial<Stores> } = {},
  server: Partial<ServerOptions> = {},
): Promise<TestGateway> {
  const folder = await temporaryFolder();
  const database = await openTestDatabase();
  const clock = { aheadMs: 0, stepMs: 0 };
  const now = (): number => Date.now() + (clock.aheadMs += clock.stepMs);
  const records = createStores(database, testVault, now);
  const { account, apiKey } = await ensureInitialAccount(database, testVault, { plan: 'BASIC', creditsPerPeriod: 100 });
  const id = `acc_${'0'.repeat(26)}`;
  const webhookSecret = testVault.seal(account.webhookSecret, webhookSecretAad(id));
  const foreign = { ...account, id, name: 'Foreign account', webhookSecret };
  await database.orm.insert(accountsTable).values(foreign);
  const { key: foreignKey } = await records.apiKeys.create(foreign.id, 'Foreign key');

  const temporal = recordingTemporal();
  const storage = await openFilesystemStore(join(folder.path, 'objects'));
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = createLogger({ level: 'debug', destination });
  const metrics = createMetrics();
  createDatabaseMetrics(metrics.registry, records.stateCounts, { now, log });
  const previewEngine = await openPreviewEngine(join(folder.path, 'data'));
  const gateway = await startGateway(
    {
      stores: { ...records, ...stores },
      publicUrl: 'http://burnish.test',
      operatorKey: OPERATOR_KEY,
      version: '0.0.0-test',
      engineVersion: '12.test',
      sandbox: 'bubblewrap',
      sandboxMissing: null,
      provider: 'local',
      searchNames: false,
      hosted: null,
      dashboardFolder: join(folder.path, 'no-dashboard'),
      guideFolder: join(folder.path, 'no-guide'),
      log,
      metrics: { ...metrics, readers: { token: METRICS_TOKEN } },
      now,
      client: temporal.client,
      decodePayloads: (body) => decodeRequest(testKeyRing.sealer('payloads'), body),
      readProgress: async () => undefined,
      listen: (channel, callback) => database.listen(channel, callback),
      storage,
      signer: createUrlSigner({ keys: oneKey('a secret for tests only'), now }),
      previewEngine,
      trialEngine: previewEngine.trials,
      estimatePdf: previewEngine.estimatePdf(overrides.storage ?? storage, records.uploadPasswords),
      detectMediaType,
      assertAllowedUrl: createSafeFetch({ allowedPrivateHosts: [] }).assertAllowedUrl,
      assertAllowedEndpoint: createSafeFetch({ allowedPrivateHosts: [] }).assertAllowedEndpoint,
      textProgram: () => Promise.resolve({ languages: ['deu', 'eng'] }),
      openBucket: accountBucketOpener(createSafeFetch({ allowedPrivateHosts: [] })),
      ready: async () => ({ ready: true, problems: [] }),
      ...overrides,
    },
    { host: '127.0.0.1', port: 0, ...server },
  );
  const url = `http://127.0.0.1:${gateway.port}`;
  const key = apiKey!;
  return {
    url,
    key,
    foreignKey,
    account,
    records,
    database,
    storage,
    temporal,
    gateway,
    logged: () => lines.join(''),
    clock,
    async fetch(path, { key: own = key, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (own !== null) headers.set('x-api-key', own);
      const response = await fetch(`${url}${path}`, { ...init, headers });
      assertDocumented(init.method ?? 'GET', path, response.status);
      return response;
    },
    async [Symbol.asyncDispose]() {
      await gateway.close(1000);
      await previewEngine.close();
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** One gateway for all tests of a file. It exists from the first hook on. */
export const useGateway = (...options: Parameters<typeof testGateway>): TestGateway =>
  useForFile(() => testGateway(...options));
