import { type Enhancement, type EventKind, Failure } from '@burnish/contract';
import { createFingerprint, findPaidWork } from '../database/uploads/paid-work.ts';
import type { Enhancements } from '../database/uploads/enhancements.ts';
import type { PlannedDelivery, ReuseFacts } from '../database/step.ts';
import type { BeginOutcome as BeginStepOutcome, LifecycleSteps } from '../database/uploads/lifecycle-steps.ts';
import type { PaidWork } from '../domain/enhancement/paid-work.ts';
import { RECORD_PERMIT_MS } from '../domain/temporal/timeouts.ts';
import { createFairLimiter } from '../process/fair-limiter.ts';
import type { EnhancementSource, Input } from './inputs/schemas.ts';

export interface RecordsDeps {
  steps: LifecycleSteps;
  enhancements: Enhancements;
  /** Part of the identity of a request, for reuse of results */
  engineVersion: string;
}

export interface AnnouncedDelivery {
  deliveryId: string;
  /** Host of the receiver. The full URL stays in the database, because it may contain a secret */
  host: string;
  /** Kind of its event, if it differs from the event of the step */
  kind?: EventKind;
}

/** `paid` is absent where nothing is paid. */
export type BeginOutcome = (
  Exclude<BeginStepOutcome, { outcome: 'reserved' }> | { outcome: 'reserved'; deliveries: AnnouncedDelivery[] }
) & { paid?: PaidWork };

/**
 * Steps of one account that a process writes at once. An upload that ends with a hundred open enhancements writes as many steps, and
 * the transactions of others would wait behind them.
 */
export const STEPS_OF_ACCOUNT = 2;

/** The hosted service updates its engine without notice, so all its results count as equal. */
const HOSTED_ENGINE_VERSION = 'hosted';

/**
 * Activities that write the state of a lifecycle: records, ledger and events, each step at once. A late retry is
 * harmless: a lower revision never replaces a higher one, and ledger and events store each entry once.
 */
export function createRecordActivities({ steps, enhancements, engineVersion }: RecordsDeps) {
  const limiter = createFairLimiter({ atOnce: Infinity, ofOwner: STEPS_OF_ACCOUNT });

  const withPermit = <T>({ accountId }: { accountId: string }, step: () => Promise<T>): Promise<T> =>
    limiter.run({ owner: accountId, waitMs: RECORD_PERMIT_MS, refusal: () => new Failure('UNAVAILABLE') }, step);

  const toReuseFacts = ({ parameters, provider, engine }: Enhancement, source: EnhancementSource): ReuseFacts => ({
    sourceSha256: source.sha256,
    fingerprint: createFingerprint({ ...source, parameters }),
    // Another worker may have made the result with different networks.
    engineVersion: provider === 'hosted' ? HOSTED_ENGINE_VERSION : (engine?.version ?? engineVersion),
  });

  /** A test of the account has the price that it asks for, whatever came before, and the hosted service has prices of its own. */
  async function findPaid(
    { accountId, provider, parameters }: Enhancement,
    source: EnhancementSource,
  ): Promise<{ paid?: PaidWork }> {
    if (provider !== 'local') return {};
    const paid = await findPaidWork(enhancements, accountId, { ...source, parameters });
    return paid === undefined ? {} : { paid };
  }

  /** Finds a reusable result, or reserves the credits and writes the record. */
  async function begin({ source, ...step }: Input<'beginEnhancement'>): Promise<BeginOutcome> {
    const begun = await steps.beginEnhancement({ ...step, facts: toReuseFacts(step.enhancement, source) });
    const paid = await findPaid(step.enhancement, source);
    if (begun.outcome !== 'reserved') return { ...begun, ...paid };
    const lowCredits = announced(begun.lowCredits).map((each) => ({ ...each, kind: 'credits.low' as const }));
    return { outcome: 'reserved', deliveries: [...announced(begun.deliveries), ...lowCredits], ...paid };
  }

  return {
    async recordUpload(step: Input<'recordUpload'>): Promise<AnnouncedDelivery[]> {
      const { ofUpload, ofEnhancements } = await withPermit(step.upload, () => steps.recordUpload(step));
      const cancelled = announced(ofEnhancements).map((each) => ({
        ...each,
        kind: 'enhanced_image.status_update' as const,
      }));
      return [...announced(ofUpload), ...cancelled];
    },

    /** Finds a reusable result, or reserves the credits and writes the record. */
    beginEnhancement: (step: Input<'beginEnhancement'>): Promise<BeginOutcome> =>
      withPermit(step.enhancement, () => begin(step)),

    async recordDestination(step: Input<'recordDestination'>): Promise<AnnouncedDelivery[]> {
      return announced(await withPermit(step, () => steps.recordDestination(step)));
    },

    async recordEnhancement({ source, ...step }: Input<'recordEnhancement'>): Promise<AnnouncedDelivery[]> {
      const facts = source === null ? null : toReuseFacts(step.enhancement, source);
      return announced(await withPermit(step.enhancement, () => steps.recordEnhancement({ ...step, facts })));
    },
  };
}

export function announced(deliveries: readonly PlannedDelivery[]): AnnouncedDelivery[] {
  return deliveries.map(({ id, host }) => ({ deliveryId: id, host }));
}
