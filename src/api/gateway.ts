import { createFairLimiter } from '../process/fair-limiter.ts';
import { createCommands } from './commands.ts';
import { topUpAccount } from './operator/operator-commands.ts';
import { GATEWAY_LIMITS, type GatewayDeps } from './deps.ts';
import { createChangeFanout } from './changes/change-fanout.ts';
import { createProgressWatch } from './changes/progress-watch.ts';
import { createFileUrls } from './files/file-urls.ts';
import { createCallers, forgettingCallers } from './http/authenticate.ts';
import { createAccountCommands } from './operator/account-commands.ts';
import { createBucketCommands } from './operator/bucket-commands.ts';
import { createBoundedWork } from './trouble/bounded-work.ts';
import { createLookBuilds } from './looks/look-builds.ts';
import { createPreviews } from './previews/previews.ts';
import { createReports } from './reports/reports.ts';
import { createTrials } from './trials/trials.ts';
import { createRequestCount } from './trouble/request-count.ts';
import { createPreferredWaits } from './changes/preferred-wait.ts';
import { APPENDS_AT_ONCE } from './resumable-uploads/tus-headers.ts';
import { createAdmission } from './http/admission.ts';

/**
 * Concurrent PUTs to one URL. A client with a dead connection may retry before the gateway detects it; more would
 * only fill the disk.
 */
const PUTS_AT_ONCE = 2;

/** Archives of one account that are sent at once. Each reads one file at a time. */
const ARCHIVES_AT_ONCE = 4;

/** Trials that wait: of one account as many as a page with a moved part asks for, and of all accounts for about a minute. */
const TRIALS_WAITING = { waitingOfOwner: 4, inAll: 40, nouns: 'trials' };

/** Limits the work of each owner that runs at once. Further work is refused, and does not wait. */
const limitEach = (ofOwner: number) => createFairLimiter({ atOnce: Infinity, ofOwner, waitingOfOwner: 0 });

/** Creates the commands and limits that all requests share, and hands the operations what they use. */
export function createGateway({ stores, ...services }: GatewayDeps) {
  const { log, closing, now, openBucket, client } = services;
  const limits = { ...GATEWAY_LIMITS, ...services.limits };
  const callers = createCallers(stores);
  const sessionCallers = createCallers({ apiKeys: stores.sessions });
  const accountChanges = forgettingCallers(stores.accountChanges, callers, sessionCallers);
  const fanout = createChangeFanout({ listen: services.listen, pollMs: limits.changePollMs, log });
  closing.addEventListener(
    'abort',
    () => void fanout.close().catch((error: unknown) => log.warn({ err: error }, 'listening did not end')),
  );
  const engineWork = createBoundedWork({ atOnce: services.previewEngine.children });
  const { accounts, accountStorage, audit, buckets, deletion, enhancements, ledger, plans, usage } = stores;
  const toppingUp = { audit, client, enhancements, ledger, now };
  const previews = createPreviews({ ...services, uploadPasswords: stores.uploadPasswords, engineWork });
  const trials = createTrials({
    ...services,
    ...{ looks: stores.looks, presets: stores.presets },
    ...{ uploadPasswords: stores.uploadPasswords, uploads: stores.uploads },
    trialWork: createBoundedWork({ atOnce: services.trialEngine.children, ...TRIALS_WAITING }),
    countTrial: createRequestCount(limits.trialsPerMinute, 'trial'),
  });
  const { buildLook } = services.previewEngine;
  const lookBuilds = createLookBuilds({ buildLook, previews, storage: services.storage, engineWork });
  const commands = createCommands(
    { ...stores, accountChanges },
    { ...services, engineWork, lookBuilds, commandWaitMs: limits.commandWaitMs },
  );
  const admission = createAdmission(limits);
  const operations = {
    ...services,
    limits,
    ...{ accounts, audit, enhancements, ledger, usage },
    apiKeys: stores.apiKeys,
    batchItems: stores.batchItems,
    batches: stores.batches,
    changes: stores.changes,
    deliveries: stores.deliveries,
    eventLog: stores.eventLog,
    hostedEvents: stores.hostedEvents,
    hostedIds: stores.hostedIds,
    looks: stores.looks,
    presets: stores.presets,
    stagedFiles: stores.stagedFiles,
    uploadParts: stores.uploadParts,
    uploads: stores.uploads,
    webhookEndpoints: stores.webhookEndpoints,
    admission,
    urls: createFileUrls(services),
    commands,
    accountCommands: createAccountCommands({
      ...{ accounts, accountChanges, accountStorage, deletion, ledger, now, plans, usage },
      topUp: (account, order, by) => topUpAccount(toppingUp, account, order, by),
    }),
    bucketCommands: createBucketCommands({ accounts, accountChanges: stores.accountChanges, buckets, openBucket }),
    previews,
    trials,
    reports: createReports({ previews, engineVersion: services.engineVersion, waitMs: limits.reportWaitMs }),
    progress: createProgressWatch({ read: services.readProgress, intervalMs: limits.progressIntervalMs, log }),
    stream: { heartbeatMs: limits.streamHeartbeatMs, stallMs: limits.streamStallMs },
    streamLimit: limitEach(limits.streamsPerKey),
    archiveLimit: limitEach(ARCHIVES_AT_ONCE),
    putLimit: limitEach(PUTS_AT_ONCE),
    appendLimit: limitEach(APPENDS_AT_ONCE),
    preferredWait: createPreferredWaits({ fanout, waitsPerKey: limits.waitsPerKey, closing }),
    fanout,
  };
  return { limits, callers, sessionCallers, admission, operations };
}
