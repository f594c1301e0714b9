import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { GatewayDeps } from '../../../src/api/deps.ts';
import { createLogger } from '../../../src/api/http/logger.ts';
import { createDatabaseMetrics } from '../../../src/api/metrics/database-metrics.ts';
import { startGateway, type Gateway, type ServerOptions } from '../../../src/api/server.ts';
import { createAccountChanges } from '../../../src/database/accounts/account-changes.ts';
import { createAccounts } from '../../../src/database/accounts/accounts.ts';
import { ensureInitialAccount } from '../../../src/database/accounts/initial-account.ts';
import { createApiKeys } from '../../../src/database/accounts/api-keys.ts';
import { createAuditLog } from '../../../src/database/accounts/audit-log.ts';
import { createAccountDeletion } from '../../../src/database/accounts/account-deletion.ts';
import { createOperatorSessions } from '../../../src/database/accounts/operator-sessions.ts';
import { createPlans } from '../../../src/database/accounts/plans.ts';
import { createUsage } from '../../../src/database/accounts/usage.ts';
import { createChanges } from '../../../src/database/changes.ts';
import { createCreditLedger } from '../../../src/database/credits/credit-ledger.ts';
import type { Database } from '../../../src/database/database.ts';
import { createDeliveries } from '../../../src/database/webhooks/deliveries.ts';
import { createEnhancements } from '../../../src/database/uploads/enhancements.ts';
import { createIdempotencyKeys } from '../../../src/database/uploads/idempotency-keys.ts';
import { createLeases } from '../../../src/database/leases.ts';
import { accounts as accountsTable } from '../../../src/database/schema/accounts.ts';
import { createHostedEvents } from '../../../src/database/hosted/hosted-events.ts';
import { createHostedIds } from '../../../src/database/hosted/hosted-ids.ts';
import { createSessions } from '../../../src/database/accounts/sessions.ts';
import { createSignInLinks } from '../../../src/database/accounts/sign-in-links.ts';
import { createStagedFiles, createUploadStarts } from '../../../src/database/uploads/upload-starts.ts';
import { createStateCounts } from '../../../src/database/state-counts.ts';
import { createUploadPasswords, type UploadPasswords } from '../../../src/database/uploads/upload-passwords.ts';
import { createUploads } from '../../../src/database/uploads/uploads.ts';
import { createWebhookEndpoints } from '../../../src/database/webhooks/webhook-endpoints.ts';
import { openPreviewEngine } from '../../../src/runtime/preview-engine.ts';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { detectMediaType } from '../../../src/engine/detect.ts';
import { createSafeFetch } from '../../../src/net/safe-fetch.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { createSigningKeys, type SigningKeys } from '../../../src/database/instance-secrets.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recordingTemporal, type RecordingTemporal } from './recording-temporal.ts';
import { decodeRequest } from '../../../src/temporal/decode-request.ts';
import { testKeyRing, testVault } from '../../support/test-vault.ts';

type Records = Pick<
  GatewayDeps,
  'audit' | 'accountChanges' | 'sessions' | 'signInLinks' | 'operatorSessions' | 'plans' | 'usage'
> & {
  deletion: ReturnType<typeof createAccountDeletion>;
  signingKeys: SigningKeys;
  accounts: ReturnType<typeof createAccounts>;
  changes: ReturnType<typeof createChanges>;
  idempotencyKeys: ReturnType<typeof createIdempotencyKeys>;
  apiKeys: ReturnType<typeof createApiKeys>;
  ledger: ReturnType<typeof createCreditLedger>;
  deliveries: ReturnType<typeof createDeliveries>;
  webhookEndpoints: ReturnType<typeof createWebhookEndpoints>;
  uploads: ReturnType<typeof createUploads>;
  enhancements: ReturnType<typeof createEnhancements>;
  stagedFiles: ReturnType<typeof createStagedFiles>;
  uploadStarts: ReturnType<typeof createUploadStarts>;
  uploadPasswords: UploadPasswords;
  leases: ReturnType<typeof createLeases>;
  hostedEvents: ReturnType<typeof createHostedEvents>;
  hostedIds: ReturnType<typeof createHostedIds>;
};

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
  records: Records;
  database: Database;
  storage: GatewayDeps['storage'];
  temporal: RecordingTemporal;
  gateway: Gateway;
  /** The complete log, as JSON lines */
  logged: () => string;
  /** Milliseconds by which the gateway's clock is ahead */
  clock: { aheadMs: number; /** Passes at each reading */ stepMs: number };
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<TestResponse>;
}

/** Operator's key of every test gateway */
export const OPERATOR_KEY = 'the-operators-key-for-tests';

/** A gateway with real HTTP, storage and database; only the workflow service is fake. */
export async function testGateway(
  overrides: Partial<GatewayDeps> = {},
  server: Partial<ServerOptions> = {},
): Promise<TestGateway> {
  const folder = await temporaryFolder();
  const database = await openTestDatabase();
  const clock = { aheadMs: 0, stepMs: 0 };
  const now = (): number => Date.now() + (clock.aheadMs += clock.stepMs);
  const accounts = createAccounts(database, testVault);
  const apiKeys = createApiKeys(database);
  const { account, apiKey } = await ensureInitialAccount(database, testVault, { plan: 'BASIC', creditsPerPeriod: 100 });
  const foreign = { ...account, id: `acc_${'0'.repeat(26)}`, name: 'Foreign account' };
  await database.orm.insert(accountsTable).values(foreign);
  const { key: foreignKey } = await apiKeys.create(foreign.id, 'Foreign key');

  const temporal = recordingTemporal();
  const storage = await openFilesystemStore(join(folder.path, 'objects'));
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const records: Records = {
    accounts,
    apiKeys,
    uploads: createUploads(database),
    enhancements: createEnhancements(database),
    plans: createPlans(database),
    deletion: createAccountDeletion(database),
    usage: createUsage(database),
    operatorSessions: createOperatorSessions(database, now),
    changes: createChanges(database),
    ledger: createCreditLedger(database),
    deliveries: createDeliveries(database, testVault, now),
    webhookEndpoints: createWebhookEndpoints(database, testVault, now),
    accountChanges: createAccountChanges(database, testVault, now),
    audit: createAuditLog(database, now),
    stagedFiles: createStagedFiles(database, now),
    uploadStarts: createUploadStarts(database, now),
    uploadPasswords: createUploadPasswords(database, testVault, now),
    leases: createLeases(database, now),
    idempotencyKeys: createIdempotencyKeys(database),
    sessions: createSessions(database, now),
    signInLinks: createSignInLinks(database, now),
    signingKeys: createSigningKeys(database, testVault, now),
    hostedEvents: createHostedEvents(database, now),
    hostedIds: createHostedIds(database, now),
  };
  const log = createLogger({ level: 'debug', destination });
  const metrics = createMetrics();
  createDatabaseMetrics(metrics.registry, createStateCounts(database), { now, log });
  const previewEngine = await openPreviewEngine(join(folder.path, 'data'));
  const gateway = await startGateway(
    {
      ...records,
      publicUrl: 'http://burnish.test',
      operatorKey: OPERATOR_KEY,
      version: '0.0.0-test',
      engineVersion: '12.test',
      sandbox: 'bubblewrap',
      provider: 'local',
      hosted: null,
      dashboardFolder: join(folder.path, 'no-dashboard'),
      log,
      metrics: { ...metrics, token: null },
      now,
      client: temporal.client,
      decodePayloads: (body) => decodeRequest(testKeyRing.sealer('payloads'), body),
      readProgress: async () => undefined,
      listen: (channel, callback) => database.listen(channel, callback),
      storage,
      signer: createUrlSigner({ keys: oneKey('a secret for tests only'), now }),
      previewEngine,
      estimatePdf: previewEngine.estimatePdf(overrides.storage ?? storage, records.uploadPasswords),
      detectMediaType,
      assertAllowedUrl: createSafeFetch({ allowedPrivateHosts: [] }).assertAllowedUrl,
      assertAllowedEndpoint: createSafeFetch({ allowedPrivateHosts: [] }).assertAllowedEndpoint,
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
    fetch(path, { key: own = key, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (own !== null) headers.set('x-api-key', own);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    async [Symbol.asyncDispose]() {
      await gateway.close(1000);
      await previewEngine.close();
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
