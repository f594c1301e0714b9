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
import { createPreviews } from './previews/previews.ts';
import { createReports } from './reports/reports.ts';
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

/** Limits the work of each owner that runs at once. Further work is refused, and does not wait. */
const limitEach = (ofOwner: number) => createFairLimiter({ atOnce: Infinity, ofOwner, waitingOfOwner: 0 });

/** Creates the commands and limits that all requests share. */
export function createGateway(deps: GatewayDeps) {
  const limits = { ...GATEWAY_LIMITS, ...deps.limits };
  const { log, closing } = deps;
  const callers = createCallers(deps);
  const sessionCallers = createCallers({ apiKeys: deps.sessions });
  const accountChanges = forgettingCallers(deps.accountChanges, callers, sessionCallers);
  const fanout = createChangeFanout({ listen: deps.listen, pollMs: limits.changePollMs, log });
  closing.addEventListener(
    'abort',
    () => void fanout.close().catch((error: unknown) => log.warn({ err: error }, 'listening did not end')),
  );
  const engineWork = createBoundedWork({ atOnce: deps.previewEngine.children });
  const previews = createPreviews({ ...deps, engineWork });
  return {
    ...deps,
    limits,
    callers,
    sessionCallers,
    fanout,
    urls: createFileUrls(deps),
    admission: createAdmission(limits),
    commands: createCommands({ ...deps, engineWork, accountChanges, commandWaitMs: limits.commandWaitMs }),
    accountCommands: createAccountCommands({
      ...deps,
      accountChanges,
      topUp: (account, order, by) => topUpAccount(deps, account, order, by),
    }),
    bucketCommands: createBucketCommands(deps),
    previews,
    reports: createReports({ previews, engineVersion: deps.engineVersion, waitMs: limits.reportWaitMs }),
    progress: createProgressWatch({ read: deps.readProgress, intervalMs: limits.progressIntervalMs, log }),
    stream: { heartbeatMs: limits.streamHeartbeatMs, stallMs: limits.streamStallMs },
    streamLimit: limitEach(limits.streamsPerKey),
    archiveLimit: limitEach(ARCHIVES_AT_ONCE),
    putLimit: limitEach(PUTS_AT_ONCE),
    appendLimit: limitEach(APPENDS_AT_ONCE),
    preferredWait: createPreferredWaits({ fanout, waitsPerKey: limits.waitsPerKey, closing }),
  };
}
