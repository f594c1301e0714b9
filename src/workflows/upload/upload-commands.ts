import { condition, setHandler } from '@temporalio/workflow';
import { Failure, nameField, type Enhancement, type PlanTerms, type Upload } from '@burnish/contract';
import type { EnhancementRequest } from '../../domain/enhancement/new-enhancement.ts';
import {
  analyzeAgain,
  approveEnhancement,
  cancelEnhancement,
  creditsChanged,
  deleteUpload,
  hostedEvent,
  rejectEnhancement,
  requestEnhancements,
  type EnhancementSubject,
} from '../../domain/temporal/workflow-interface.ts';
import { assertAnalyzed, assertFits } from '../../domain/enhancement/order-rules.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import type { Enhancements } from '../enhancement/enhancements.ts';
import type { EnhancementWakeUps } from '../enhancement/enhancement-run.ts';
import type { WakeUps } from '../hosted/wait.ts';
import { validated } from '../step.ts';

/** Enhancements of one upload that wait or run at the same time. */
const MAX_OPEN_ENHANCEMENTS = 100;

export interface UploadCommands {
  /** True once after `analyzeAgain` */
  takeAnalysisAsked(): boolean;
  readonly analysisAsked: boolean;
}

/**
 * Accepts commands from the first workflow task. A validator rejects a command before it enters the history; an accepted
 * command is carried out.
 */
export function acceptUploadCommands(
  state: Upload,
  source: UploadSource,
  plan: PlanTerms,
  enhancements: Enhancements,
  onDelete: () => void,
): UploadCommands {
  let deletionAsked = false;
  let analysisAsked = false;
  const declared = 'declared' in source ? (source.declared.mimetype ?? undefined) : undefined;

  setHandler(requestEnhancements, (requests) => enhancements.accept(requests), {
    validator: validated((requests: EnhancementRequest[]) => {
      if (deletionAsked) throw new Failure('NOT_FOUND');
      if (state.status === 'UPLOAD_FAILED')
        throw new Failure(state.errorCode ?? 'INTERNAL', { detail: `The upload failed: ${state.errorDetail}` });
      if (enhancements.count + requests.length > MAX_OPEN_ENHANCEMENTS) {
        const detail = `At most ${MAX_OPEN_ENHANCEMENTS} enhancements of one upload may be open at a time. Wait for the end of one.`;
        throw new Failure('RATE_LIMITED', { detail });
      }
      for (const [index, request] of requests.entries())
        nameField(`enhancements[${index}].`, () =>
          assertFits(state, request.plan ?? plan, request.parameters, declared),
        );
      assertAnalyzed(state, declared);
    }),
  });

  const decision = (taken: 'approved' | 'rejected') => ({
    handler: async ({ enhancementId }: EnhancementSubject): Promise<Enhancement | null> =>
      (await enhancements.find(enhancementId)?.approval.decide(taken)) ?? null,
    validator: ({ enhancementId }: EnhancementSubject): void =>
      enhancements.find(enhancementId)?.approval.assertOpenTo(taken),
  });
  const [approve, reject] = [decision('approved'), decision('rejected')];
  setHandler(approveEnhancement, approve.handler, { validator: approve.validator });
  setHandler(rejectEnhancement, reject.handler, { validator: reject.validator });

  setHandler(cancelEnhancement, async ({ enhancementId }) => {
    const open = enhancements.find(enhancementId);
    return open === undefined ? null : enhancements.cancel(open);
  });

  setHandler(
    analyzeAgain,
    () => {
      // While an analysis runs, or after it succeeded, the command has no effect.
      if (state.subStatus === 'METADATA_ANALYZED_FAILED') analysisAsked = true;
      return state;
    },
    {
      validator: validated(() => {
        if (deletionAsked) throw new Failure('NOT_FOUND');
        if (state.subStatus === null)
          throw new Failure('BAD_USER_INPUT', {
            detail: 'Only PDFs can be analyzed. Enhance the image without an analysis.',
          });
      }),
    },
  );

  setHandler(deleteUpload, async () => {
    deletionAsked = true;
    onDelete();
    await condition(() => state.status === 'UPLOAD_DELETED');
    return state;
  });

  return {
    get analysisAsked() {
      return analysisAsked;
    },
    takeAnalysisAsked() {
      const asked = analysisAsked;
      analysisAsked = false;
      return asked;
    },
  };
}

export interface Signals {
  hosted: WakeUps;
  /** Signals that are, or may be, about one enhancement */
  about(enhancementId: string): EnhancementWakeUps;
}

/**
 * Counts signals from the first workflow task. A signal only wakes the workflow, which then reads the ledger or polls the
 * service. Forged, repeated, late or early signals therefore do no harm, and cost one read.
 */
export function listenForSignals(): Signals {
  let credits = 0;
  let hosted = 0;
  let unspecific = 0;
  const specific = new Map<string, number>();
  setHandler(hostedEvent, ({ enhancementId }) => {
    hosted += 1;
    if (enhancementId === undefined) unspecific += 1;
    else specific.set(enhancementId, (specific.get(enhancementId) ?? 0) + 1);
  });
  setHandler(creditsChanged, () => {
    credits += 1;
  });
  return {
    hosted: () => hosted,
    about: (enhancementId) => ({
      credits: () => credits,
      hosted: () => unspecific + (specific.get(enhancementId) ?? 0),
    }),
  };
}
