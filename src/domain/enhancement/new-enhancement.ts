import type {
  Destination,
  EnhancementParameters,
  ImageParameters,
  PlanTerms,
  Upload,
  Enhancement,
} from '@burnish/contract';

/** Priority class of work in the task queues: a user waits for it; a single upload; part of a batch. */
export type Urgency = 'interactive' | 'single' | 'batch';

/** A caller's request: parameters, and limits of cost and waiting time. */
export interface EnhancementRequest {
  id: string;
  parameters: EnhancementParameters;
  /** Credits; an estimate above this limit waits for approval. Null: no approval. */
  maxCredits: number | null;
  /** Maximum wait for credits in milliseconds; 0 fails at once. */
  creditWaitMs: number;
  plan?: PlanTerms;
  /** The tier of `AUTO` for its account; by default the best available one */
  autoTier?: Exclude<ImageParameters['engineTier'], 'AUTO'>;
  /** Priority of its work in the task queues; by default that of its upload */
  urgency?: Urgency;
  /** Preset with its version, such as `web@3`, whose parameters are applied; absent without one */
  preset?: string;
  /** The caller's own id, for the search attribute; absent without one */
  reference?: string;
  /** Destination of the result, without its secret; absent without one */
  destination?: Destination;
}

/** The initial state of an enhancement, at revision 0 and QUEUED, before its workflow processes it. */
export function initialEnhancement(
  request: EnhancementRequest,
  upload: Pick<Upload, 'id' | 'accountId' | 'provider'>,
  at: string,
): Enhancement {
  return {
    id: request.id,
    uploadId: upload.id,
    accountId: upload.accountId,
    revision: 0,
    status: 'QUEUED',
    waitingFor: null,
    parameters: request.parameters,
    preset: request.preset ?? null,
    provider: upload.provider,
    remoteId: null,
    maxCredits: request.maxCredits,
    creditWaitMs: request.creditWaitMs,
    estimatedCredits: null,
    chargedCredits: null,
    result: null,
    engine: null,
    reusedFrom: null,
    basedOn: null,
    destination: request.destination ?? null,
    errorCode: null,
    errorDetail: null,
    createdAt: at,
    startedAt: null,
    finishedAt: null,
  };
}
