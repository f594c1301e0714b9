import { setTimeout as pause } from 'node:timers/promises';
import type { IdempotencyClaim } from '../../database/uploads/idempotency-keys.ts';
import type { EnhancementRequest } from '../../domain/enhancement/enhancement.ts';
import { initialEnhancement, initialUpload } from '../../domain/upload/initial-states.ts';
import type { UploadSource } from '../../domain/upload/upload.ts';
import { Unavailable } from '../trouble/unavailable.ts';
import { within } from '../trouble/within.ts';
import { orderedEnhancementId } from '../commands/ids.ts';
import { inTurn, startWorkflow } from '../commands/start-workflow.ts';
import type { Caller, CommandDeps, UploadOrder, UploadWithEnhancements } from '../commands/command-types.ts';
import { uploadWorkflow } from './upload-workflow.ts';

export interface UploadStart {
  uploadId: string;
  source: UploadSource;
  originalFilename: string;
  claim: IdempotencyClaim | null;
}

type StartDeps = Pick<CommandDeps, 'client' | 'uploadStarts' | 'provider' | 'hosted' | 'now'>;

/** How long the database may take for the records of a start, milliseconds. */
const RECORD_WAIT_MS = 5_000;
/** Pauses between tries to note a refusal, milliseconds. */
const NOTE_PAUSES_MS = [0, 1_000, 5_000, 15_000];

/**
 * Writes the records of an upload and starts its workflow. A second start of the same id is a no-op.
 * When it returns, the workflow exists and its records can be read, with no worker at all.
 * @throws a passing Failure. Of part `gateway`: nothing has happened. Otherwise nobody knows what came of it: the same
 *   request with the same key meets it, and the reconciler takes back what nothing has come of
 */
export async function startUpload(
  deps: StartDeps,
  { account, waits = false }: Caller,
  order: UploadOrder,
  { uploadId, source, originalFilename, claim }: UploadStart,
): Promise<UploadWithEnhancements> {
  const at = new Date(deps.now()).toISOString();
  const provider = order.provider ?? deps.provider;
  const upload = initialUpload({
    id: uploadId,
    account,
    source,
    originalFilename,
    provider,
    webhookUrl: order.webhookUrl,
    at,
  });
  const requests: EnhancementRequest[] = order.enhancements.map((each, index) => ({
    id: orderedEnhancementId(uploadId, index),
    ...each,
  }));
  const { fallback, urgency = waits ? 'interactive' : 'single' } = order;
  const hosted =
    provider === 'hosted' && deps.hosted !== null
      ? { hosted: { ...deps.hosted.policy, ...(fallback === undefined ? {} : { fallback }) } }
      : {};
  const input = { source, plan: account.plan, enhancements: requests, urgency, ...hosted };
  const enhancements = requests.map((request) => initialEnhancement(request, upload, at));
  const slow = (): Unavailable => new Unavailable('database');

  await inTurn(async () => {
    const recorded = deps.uploadStarts.record({ upload, enhancements, input, claim });
    try {
      await within(RECORD_WAIT_MS, slow, recorded);
      await startWorkflow(deps.client, 'upload', uploadWorkflow({ ...input, initial: upload }));
    } catch (error) {
      void noteRefusal(deps, uploadId, recorded);
      throw error;
    }
  });
  return { upload, enhancements };
}

/**
 * Makes sure that an upload of an earlier request has its workflow, where nobody knows whether that came to be.
 * @throws a passing Failure when the workflow service is away
 */
export async function startAgain(deps: StartDeps, earlier: UploadWithEnhancements): Promise<UploadWithEnhancements> {
  const { upload } = earlier;
  if (upload.revision > 0) return earlier;
  const input = await deps.uploadStarts.refuse(upload.id, false);
  if (input === undefined) return earlier;
  try {
    await inTurn(() => startWorkflow(deps.client, 'upload', uploadWorkflow({ ...input, initial: upload })));
  } catch (error) {
    void noteRefusal(deps, upload.id, Promise.resolve());
    throw error;
  }
  return earlier;
}

/** Where it cannot be noted, the reconciler carries the start through, and the key meets what it made. */
async function noteRefusal(deps: StartDeps, uploadId: string, recorded: Promise<unknown>): Promise<void> {
  await recorded.catch(() => undefined);
  for (const ms of NOTE_PAUSES_MS) {
    await pause(ms, undefined, { ref: false });
    try {
      await deps.uploadStarts.refuse(uploadId, true);
      return;
    } catch {
      // The database is away as well; it is asked again.
    }
  }
}
