import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  startChild,
} from '@temporalio/workflow';
import type { Enhancement, EnhancementRequest } from '../domain/enhancement.ts';
import { enhancementEventData } from '../domain/events.ts';
import { initialEnhancement } from '../domain/initial-states.ts';
import { cancelWaiting, enhancementSettled, enhancementWorkflowId } from '../domain/messages.ts';
import { accountIdAttribute, statusAttribute, typeAttribute, uploadIdAttribute } from '../domain/search-attributes.ts';
import { mediaKind } from '../domain/media.ts';
import type { UploadInput } from '../domain/workflow-inputs.ts';
import { recordEnhancement } from './activities.ts';
import { announce } from './announce.ts';
import { enhancement } from './enhancement.ts';
import type { FailureReason } from './failure-reason.ts';
import type { UploadTracker } from './upload-state.ts';

/** Engine work lets go within its heartbeat timeout; one that was ended by hand in the meantime never says so. */
const SETTLE_WITHIN = '30 min';

/** An enhancement that was accepted and has no workflow yet. */
export interface WaitingEnhancement {
  request: EnhancementRequest;
  /** ISO 8601 */
  acceptedAt: string;
}

/** What is carried over when an upload continues with a fresh history. */
export interface EnhancementsInCare {
  waiting: WaitingEnhancement[];
  /** Ids of enhancements whose workflows run */
  running: string[];
}

/** Has the enhancements of one upload in its care: starts, counts and cancels their workflows. */
export interface EnhancementSupervisor {
  readonly care: EnhancementsInCare;
  accept(request: EnhancementRequest): Enhancement;
  /** Starts a workflow for each that waits. The upload has to be ready for them. */
  startWaiting(): Promise<void>;
  /** Ends each that waits with the reason why the upload will never be ready. */
  failWaiting(reason: FailureReason): Promise<void>;
  /** Ends all, and returns when none of them can touch a file any more. */
  cancelAll(): Promise<void>;
}

export function superviseEnhancements(
  { state, timeline }: UploadTracker,
  { plan, hosted }: Pick<UploadInput, 'plan' | 'hosted'>,
  care: EnhancementsInCare,
): EnhancementSupervisor {
  /** Ids on their way from waiting to running. */
  const starting: string[] = [];

  setHandler(cancelWaiting, async ({ enhancementId }) => {
    const index = care.waiting.findIndex(({ request }) => request.id === enhancementId);
    const [waiting] = index < 0 ? [] : care.waiting.splice(index, 1);
    if (waiting !== undefined) return await end(waiting, { status: 'CANCELLED' });
    // Whoever asked goes to its own workflow next, which is there once it has started.
    await condition(() => !starting.includes(enhancementId));
    return null;
  });

  setHandler(enhancementSettled, ({ enhancementId, status }) => {
    // Signals arrive at least once: a second one about the same enhancement says nothing new.
    if (!forget(enhancementId)) return;
    timeline.say(`Enhancement ${enhancementId}: ${status}.`);
  });

  const initialOf = ({ request, acceptedAt }: WaitingEnhancement): Enhancement =>
    initialEnhancement(request, state, acceptedAt);

  async function start(waiting: WaitingEnhancement): Promise<void> {
    const initial = initialOf(waiting);
    if (care.running.includes(initial.id)) return;
    const { objectKey, file } = state;
    if (objectKey === null || file === null) throw new TypeError('An upload without a file is never ready.');
    const { id, originalFilename, webhookUrl, remoteId, analysis } = state;
    const { sha256, mimetype } = file;
    const upload = { id, objectKey, sha256, mimetype, originalFilename, webhookUrl, remoteId, analysis };
    care.running.push(initial.id);
    starting.push(initial.id);
    try {
      await startChild(enhancement, {
        workflowId: enhancementWorkflowId(initial.id),
        args: [{ initial, upload, plan, ...(hosted === undefined ? {} : { hosted }) }],
        // It settles by itself and says so by signal; the upload may have continued with a fresh history by then.
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        typedSearchAttributes: [
          { key: accountIdAttribute, value: initial.accountId },
          { key: uploadIdAttribute, value: id },
          { key: statusAttribute, value: initial.status },
          { key: typeAttribute, value: mediaKind(file.mimetype) },
        ],
        staticSummary: `Enhance ${originalFilename}`,
        staticDetails: `Parameters: \`${JSON.stringify(initial.parameters)}\``,
      });
      timeline.say(`Enhancement ${initial.id} started.`);
    } catch (error) {
      // Asked for twice under one id: the first one serves both, and has ended already.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      forget(initial.id);
    } finally {
      starting.splice(starting.indexOf(initial.id), 1);
    }
  }

  /** For an enhancement that never got a workflow, its upload writes the record. */
  async function end(waiting: WaitingEnhancement, changes: Partial<Enhancement>): Promise<Enhancement> {
    const at = new Date().toISOString();
    const ended: Enhancement = { ...initialOf(waiting), ...changes, revision: 1, finishedAt: at };
    await recordEnhancement({ enhancement: ended, source: null });
    await announce({
      accountId: ended.accountId,
      kind: 'enhanced_image.status_update',
      data: enhancementEventData(ended),
      webhookUrl: state.webhookUrl,
      occasion: `${ended.id}-settled`,
    });
    return ended;
  }

  async function endWaiting(changes: Partial<Enhancement>): Promise<void> {
    await Promise.all(care.waiting.splice(0).map((waiting) => end(waiting, changes)));
  }

  return {
    care,
    accept(request) {
      const waiting = { request, acceptedAt: new Date().toISOString() };
      care.waiting.push(waiting);
      return initialOf(waiting);
    },
    async startWaiting() {
      // Once taken from the list they must be started, even if a deletion comes in between: it cancels them afterwards.
      await CancellationScope.nonCancellable(() => Promise.all(care.waiting.splice(0).map(start)));
    },
    failWaiting: ({ code, detail }) => endWaiting({ status: 'ERROR', errorCode: code, errorDetail: detail }),
    async cancelAll() {
      await endWaiting({ status: 'CANCELLED' });
      // Who settles at this very moment says so itself, and the server need not answer the request: only settling counts.
      for (const enhancementId of care.running) void cancel(enhancementId);
      await condition(() => care.running.length === 0, SETTLE_WITHIN, { summary: 'enhancements let go' });
    },
  };

  async function cancel(enhancementId: string): Promise<void> {
    try {
      await getExternalWorkflowHandle(enhancementWorkflowId(enhancementId)).cancel();
    } catch {
      // It has ended already. Its signal is on its way, or was lost with a termination by hand: do not wait for it.
      forget(enhancementId);
    }
  }

  /** @returns whether it was in our care */
  function forget(enhancementId: string): boolean {
    const index = care.running.indexOf(enhancementId);
    if (index >= 0) care.running.splice(index, 1);
    return index >= 0;
  }
}
