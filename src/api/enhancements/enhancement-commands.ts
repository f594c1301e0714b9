import { setTimeout as delay } from 'node:timers/promises';
import type { UpdateDefinition } from '@temporalio/common';
import {
  isOver,
  isTerminal,
  type Enhancement,
  type RecordedEnhancement,
  Failure,
  cancellationRefusal,
  type AuditAction,
  newId,
  nthId,
  type Labelled,
  type Upload,
} from '@burnish/contract';
import { initialEnhancement } from '../../domain/enhancement/new-enhancement.ts';
import * as messages from '../../domain/temporal/workflow-interface.ts';
import { toPlanTerms } from '../../domain/accounts/account-limits.ts';
import { resolveAutoTier } from '../../domain/enhancement/parameter-rules.ts';
import type { EstimateCommands } from './estimate-command.ts';
import { assertAnalyzed } from '../../domain/enhancement/order-rules.ts';
import { admitEnhancements, assertRoom, assertEnhancementAllowed } from '../uploads/check-order.ts';
import {
  auditEntry,
  orderingKey,
  type Caller,
  type EnhancementOrder,
  type IdempotencyKey,
  type TemporalClient,
} from '../commands/command-types.ts';
import { claimIdempotencyKey, fingerprint, keyedId, updateIdFor } from '../commands/idempotency.ts';
import { requireById, requireRecord } from '../commands/checks.ts';
import { settleUnanswered } from './settle-unanswered.ts';
import { sendUpdate, type UpdateOutcome } from '../commands/workflow-commands.ts';
import { toLabels } from '../../domain/upload/labels.ts';
import { withTestApproval } from '../../test-accounts/orders.ts';
import { toRequest } from '../uploads/start-upload.ts';
import { endedUpload } from '../uploads/upload-commands.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { PreferredWaits } from '../changes/preferred-wait.ts';
import type { ProgressWatch } from '../changes/progress-watch.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { SafeFetch } from '../../net/safe-fetch.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { Buckets } from '../../database/accounts/buckets.ts';
import type { DestinationUrls } from '../../database/uploads/destination-urls.ts';
import type { IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { Looks } from '../../database/accounts/looks.ts';
import type { Presets } from '../../database/accounts/presets.ts';
import type { FindTextProgram } from './check-enhancement-order.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { UsageStore } from '../../database/accounts/usage.ts';

/** Pause before a decision is sent again, milliseconds. */
const BEHIND_PAUSE_MS = 100;

type Command = (caller: Caller, enhancementId: string, idempotencyKey: IdempotencyKey) => Promise<RecordedEnhancement>;
type EnhancementUpdate = UpdateDefinition<Enhancement | null, [messages.EnhancementSubject]>;

export interface EnhancementCommandDeps {
  assertAllowedUrl: SafeFetch['assertAllowedUrl'];
  audit: AuditLog;
  buckets: Buckets;
  client: TemporalClient;
  /** Maximum duration of a command, in milliseconds */
  commandWaitMs: number;
  destinationUrls: DestinationUrls;
  enhancements: Enhancements;
  idempotencyKeys: IdempotencyKeys;
  /** Milliseconds since the epoch */
  now: () => number;
  looks: Looks;
  presets: Presets;
  textProgram: FindTextProgram;
  uploads: Uploads;
  usage: UsageStore;
}

/** Commands that order, approve, reject and cancel enhancements. */
export function createEnhancementCommands(
  deps: EnhancementCommandDeps,
  { estimate }: Pick<EstimateCommands, 'estimate'>,
) {
  const read = async ({ account }: Caller, id: string): Promise<RecordedEnhancement> =>
    requireById('enh', id, (each) => deps.enhancements.get(account.id, each));

  /** @returns whether an equal command with the same key came before */
  function claimCommand(
    caller: Caller,
    id: string,
    idempotencyKey: IdempotencyKey,
    operation: string,
  ): Promise<boolean> {
    const { id: accountId } = caller.account;
    return claimIdempotencyKey(deps.idempotencyKeys, { accountId, idempotencyKey, operation, subjectId: id });
  }

  function send(
    { id, uploadId, accountId: permitOf }: Enhancement,
    update: EnhancementUpdate,
    updateId: string,
  ): Promise<UpdateOutcome<Enhancement | null>> {
    const args: [messages.EnhancementSubject] = [{ enhancementId: id }];
    return sendUpdate(
      deps.client,
      { permitOf, workflowId: messages.uploadWorkflowId(uploadId), update, args, updateId },
      deps.commandWaitMs,
    );
  }

  /** Writes the audit entry, once for each enhancement, after the workflow has accepted the command. */
  async function record(caller: Caller, action: AuditAction, { id, uploadId }: Enhancement): Promise<void> {
    await deps.audit.record(auditEntry(caller, { action, subjectId: id, details: { uploadId }, once: true }));
  }

  /**
   * Repeats a decision that the workflow refuses although its record awaits one. After a crash, a workflow runs the step again
   * that its record already shows, and the decision may come before it. An older workflow waits for the reconciler.
   */
  async function untilCaughtUp<T>(caller: Caller, id: string, decide: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + deps.commandWaitMs;
    for (;;) {
      try {
        return await decide();
      } catch (error) {
        const isRefused = error instanceof Failure && error.code === 'CONFLICT';
        if (!isRefused || (await read(caller, id)).status !== 'AWAITING_APPROVAL') throw error;
        if (performance.now() > giveUpAt) throw notNow('approved or rejected');
        await delay(BEHIND_PAUSE_MS);
      }
    }
  }

  function decision(update: EnhancementUpdate, action: AuditAction): Command {
    return async (caller, id, key) => {
      const enhancement = await read(caller, id);
      const repeated = await claimCommand(caller, id, key, update.name);
      const updateId = updateIdFor(caller.account.id, `${update.name} ${id}`, key);
      const outcome = await untilCaughtUp(caller, id, () => send(enhancement, update, updateId));
      const isTaken = outcome.kind === 'accepted' || (outcome.kind === 'done' && outcome.value !== null);
      if (isTaken || repeated) await record(caller, action, enhancement);
      if (outcome.kind === 'done' && outcome.value !== null) return { ...outcome.value, ...toLabels(enhancement) };
      const now = await read(caller, id);
      if (outcome.kind === 'accepted' || repeated) return now;
      if (now.status === 'AWAITING_APPROVAL') throw notNow('approved or rejected');
      throw new Failure('CONFLICT', {
        detail: `The enhancement is ${now.status}; only an enhancement that is AWAITING_APPROVAL can be approved or rejected.`,
      });
    };
  }

  const readUpload = ({ account }: Caller, id: string): Promise<Labelled<Upload>> =>
    requireById('upl', id, (each) => deps.uploads.get(account.id, each));

  return {
    /** Orders enhancements of an upload: all of them or none, in their sequence. */
    async requestEnhancements(
      caller: Caller,
      uploadId: string,
      given: readonly EnhancementOrder[],
      idempotencyKey: IdempotencyKey,
    ): Promise<RecordedEnhancement[]> {
      const { id: accountId } = caller.account;
      const upload = await readUpload(caller, uploadId);
      const orders = await admitEnhancements(deps, caller, given, {
        reference: upload.reference,
        assertAllowed: (parameters) => assertEnhancementAllowed(caller, upload, parameters),
      });
      const operation = 'requestEnhancements';
      const print = fingerprint({ uploadId, orders: given });
      const first =
        idempotencyKey === null ? newId('enh', deps.now()) : keyedId('enh', accountId, idempotencyKey, print);
      const ids = orders.map((_, index) => nthId(first, index));
      await claimIdempotencyKey(deps.idempotencyKeys, {
        accountId,
        idempotencyKey,
        operation,
        fingerprint: print,
        subjectId: first,
      });
      const readAll = () => Promise.all(ids.map((id) => deps.enhancements.get(accountId, id)));
      const earlier = idempotencyKey === null ? [] : await readAll();
      if (isComplete(earlier, orders.length)) return earlier;
      if (upload.status === 'UPLOAD_FINISHED') {
        assertAnalyzed(upload);
        const { mayExceedPixels, signed } = upload.analysis?.statistics ?? {};
        const mayBreakSignature =
          signed && orders.some(({ parameters }) => parameters.allowBreakingSignatures !== true);
        // Only the estimate tells which parameters exceed the limit of pixels, or change an image of a signed PDF.
        if (mayExceedPixels || mayBreakSignature) await estimate(caller, uploadId, orders);
      }

      // Results count as stored bytes, and paid work never fails because of them.
      await assertRoom(deps, caller, orders.length);
      const autoTier = resolveAutoTier(caller.account);
      const tier = autoTier === undefined ? {} : { autoTier };
      // The workflow may write the records first, and their first events must have the labels.
      const labelled = orders.map((order, index) => ({ enhancementId: ids[index]!, labels: toLabels(order) }));
      await deps.enhancements.label(accountId, orderingKey(caller), labelled);
      for (const [index, { destination }] of orders.entries()) {
        if (destination !== undefined && 'url' in destination)
          await deps.destinationUrls.put(ids[index]!, destination.url);
      }
      const requests = orders.map((order, index) => ({
        ...toRequest(ids[index]!, withTestApproval(caller.account, order, upload.reference), upload),
        ...tier,
        plan: toPlanTerms(caller.plan),
        urgency: order.urgency ?? (caller.waits === true ? 'interactive' : 'single'),
      }));
      const call = {
        permitOf: accountId,
        workflowId: messages.uploadWorkflowId(uploadId),
        update: messages.requestEnhancements,
        args: [requests] as [typeof requests],
        updateId: first,
      };
      const outcome = await sendUpdate(deps.client, call, deps.commandWaitMs).catch(async (error: unknown) => {
        await settleUnanswered(deps, { accountId, uploadId, ids, idempotencyKey }, error);
        return { kind: 'accepted' as const };
      });
      if (outcome.kind === 'ended') throw endedUpload(await readUpload(caller, uploadId));
      const at = new Date(deps.now()).toISOString();
      const states =
        outcome.kind === 'done' ? outcome.value : requests.map((each) => initialEnhancement(each, upload, at));
      // The workflow may write the records later, but the response must be readable now.
      for (const state of states) await deps.enhancements.project(state);
      if (outcome.kind === 'done') return states.map((state, index) => ({ ...state, ...toLabels(orders[index]!) }));
      return (await readAll()).map(requireRecord);
    },

    approve: decision(messages.approveEnhancement, 'enhancement.approve'),
    reject: decision(messages.rejectEnhancement, 'enhancement.reject'),
    /** Cancels an enhancement; does nothing if it has ended. */
    async cancel(caller: Caller, id: string, idempotencyKey: IdempotencyKey): Promise<RecordedEnhancement> {
      const enhancement = await read(caller, id);
      await claimCommand(caller, id, idempotencyKey, messages.cancelEnhancement.name);
      // A cancellation also ends the attempts to reach a destination.
      if (isOver(enhancement)) return requireCancelled(enhancement);
      // Repeated cancellations are one update, however long the engine takes to stop.
      const outcome = await send(enhancement, messages.cancelEnhancement, `cancel ${id}`);
      const known = outcome.kind === 'done' ? outcome.value : null;
      const cancelled = known && requireCancelled({ ...known, ...toLabels(enhancement) });
      if (cancelled !== null || outcome.kind === 'accepted') await record(caller, 'enhancement.cancel', enhancement);
      if (cancelled !== null) return cancelled;
      const now = await read(caller, id);
      if (outcome.kind === 'accepted') return now;
      if (isTerminal(now.status)) return requireCancelled(now);
      throw notNow('cancelled');
    },
  };
}

/** Whether every enhancement of an earlier, equal order has its record. */
const isComplete = (
  earlier: readonly (RecordedEnhancement | undefined)[],
  count: number,
): earlier is RecordedEnhancement[] => earlier.length === count && earlier.every((each) => each !== undefined);

/** @throws Failure CONFLICT for an enhancement that has ended otherwise */
function requireCancelled<Ended extends Enhancement>(ended: Ended): Ended {
  const { status, destination } = ended;
  const refusal = cancellationRefusal(status);
  if (refusal === undefined || destination?.errorCode === 'DESTINATION_CANCELLED') return ended;
  throw refusal;
}

/** The workflow does not know an enhancement with an open record. @param what such as `cancelled` */
function notNow(what: string): Failure {
  const detail = `The enhancement cannot be ${what} now. Try again, or delete the upload.`;
  return new Failure('INTERNAL', { detail, retryAfterSeconds: 5 });
}

/** What the operations and the fields of this resource use. */
export interface EnhancementNeeds {
  enhancements: Enhancements;
  urls: FileUrls;
  progress: ProgressWatch;
  preferredWait: PreferredWaits;
  commands: ReturnType<typeof createEnhancementCommands> & EstimateCommands;
}
