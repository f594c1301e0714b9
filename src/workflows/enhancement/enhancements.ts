import { CancellationScope, condition, setHandler, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { isOver, type Enhancement, type EnhancementStatus, type PlanTerms, type Upload } from '@burnish/contract';
import { type EnhancementRequest, initialEnhancement } from '../../domain/enhancement/new-enhancement.ts';
import { endedEnhancements, openEnhancements } from '../../domain/temporal/workflow-interface.ts';
import {
  enhancementIdAttribute,
  enhancementStatusAttribute,
  listedReferences,
  MAX_LISTED_ENHANCEMENTS,
  referenceAttribute,
} from '../../domain/temporal/search-attributes.ts';
import type { TraceHeaders } from '../../domain/temporal/trace-header.ts';
import { assertFits } from '../../domain/enhancement/order-rules.ts';
import { failureReason, type FailureReason } from '../step.ts';
import { adoptTrace, findTrace, traceOfUpdate } from '../trace-context.ts';
import { mayInspectWith } from './enhance.ts';
import {
  trackEnhancement,
  createEnhancementRun,
  type EnhancementContext,
  type EnhancementWakeUps,
  type EnhancementRun,
  type Progress,
  type SharedInspection,
} from './enhancement-run.ts';
import type { EnhancementSource } from '../../activities/inputs/schemas.ts';
import type { Inspection } from '../../activities/provider/local-context.ts';

/** Statuses with a search attribute in the Web UI. Every enhancement passes through the others. */
const SEARCHED: readonly EnhancementStatus[] = ['AWAITING_APPROVAL', 'AWAITING_CREDITS', 'ERROR', 'CANCELLED'];

/** Equal to the limit of open enhancements. */
const MAX_ENDED = 100;

export interface CarriedEnhancement {
  request: EnhancementRequest;
  /** ISO 8601 */
  acceptedAt: string;
  changes: Partial<Enhancement>;
  progress: Progress;
  /** Absent without tracing, or when the request came with the upload */
  trace?: TraceHeaders;
}

export interface Enhancements {
  readonly count: number;
  readonly waiting: boolean;
  /** Accepts requests, in their order. One with a known id returns its state. */
  accept(requests: readonly EnhancementRequest[]): Enhancement[];
  find(enhancementId: string): EnhancementRun | undefined;
  /**
   * Starts the only order of an image, which inspects the image too. `received` ends its wait for the record of the upload.
   * @returns null if the image is to be inspected by itself
   */
  inspectWithOrder(): Promise<Inspection | null>;
  /** Starts each waiting enhancement. The upload must be ready for enhancements. */
  startWaiting(): void;
  /** Fails each waiting enhancement with the reason for which the upload will never be ready. */
  failWaiting(reason: FailureReason): Promise<void>;
  /**
   * Notes that the upload is recorded, and fails each waiting enhancement that the received file or its plan does not allow, before
   * anything is reserved.
   */
  received(): Promise<void>;
  /**
   * Cancels one enhancement in any state.
   * @returns its last state
   */
  cancel(open: EnhancementRun): Promise<Enhancement>;
  /** Cancels all enhancements, and returns when none of them can access a file any more. */
  cancelAll(): Promise<void>;
  /** Whether every enhancement waits at a point where it can be carried over by continue-as-new. */
  readonly idle: boolean;
  carry(): CarriedEnhancement[];
}

/** Takes an order through its steps. @param plan of the account at the time of the request */
export type Fulfil = (run: EnhancementRun, context: EnhancementContext, plan: PlanTerms) => Promise<void>;

export interface EnhancementsOptions extends Omit<EnhancementContext, 'others'> {
  plan: PlanTerms;
  carried: readonly CarriedEnhancement[];
  getWakeUps(enhancementId: string): EnhancementWakeUps;
  fulfil: Fulfil;
}

export function createEnhancements(options: EnhancementsOptions): Enhancements {
  const { upload, plan, getWakeUps, fulfil } = options;
  const all = new Map<string, EnhancementRun>();
  /** The most recently ended enhancements. A repeated command returns the outcome of the first one. */
  const ended = new Map<string, Enhancement>();
  // Continue-as-new preserves search attributes.
  const { typedSearchAttributes: attributes } = workflowInfo();
  const listed = [...(attributes.get(enhancementIdAttribute) ?? [])];
  const references = [...(attributes.get(referenceAttribute) ?? [])];
  const searched = new Set<string>(attributes.get(enhancementStatusAttribute));

  function add({ request, acceptedAt, changes, progress, trace }: CarriedEnhancement): EnhancementRun {
    const initial = { ...initialEnhancement(request, upload.state, acceptedAt), ...changes };
    const source = (): EnhancementSource | null => {
      const { file } = upload.state;
      return file === null ? null : { sha256: file.sha256, mimetype: file.mimetype, plan: request.plan ?? plan };
    };
    const tracker = trackEnhancement(initial, upload, source, newStatus);
    const open = createEnhancementRun(request, tracker, progress, getWakeUps(request.id));
    adoptTrace(open.scope, trace);
    all.set(request.id, open);
    return open;
  }
  for (const each of options.carried) add(each);
  setHandler(openEnhancements, () => [...all.values()].map(({ tracker }) => tracker.state));
  setHandler(endedEnhancements, (ids) => ids.flatMap((id) => ended.get(id) ?? []));

  function newStatus(status: EnhancementStatus): SearchAttributeUpdatePair[] {
    if (!SEARCHED.includes(status) || searched.has(status)) return [];
    searched.add(status);
    return [{ key: enhancementStatusAttribute, value: [...searched] }];
  }

  function acceptOne(request: EnhancementRequest): Enhancement {
    const known = all.get(request.id)?.tracker.state ?? ended.get(request.id);
    if (known !== undefined) return known;
    const acceptedAt = new Date().toISOString();
    const trace = traceOfUpdate();
    const { state } = add({ request, acceptedAt, changes: {}, progress: {}, ...(trace && { trace }) }).tracker;
    listed.push(request.id);
    if (request.reference !== undefined && !references.includes(request.reference)) references.push(request.reference);
    return { ...state };
  }

  let shared: SharedInspection | undefined;

  function start(open: EnhancementRun, inspection?: SharedInspection): void {
    open.started = true;
    const context = { ...options, others: () => all.values(), ...(inspection && { shared: inspection }) };
    void fulfil(open, context, open.request.plan ?? plan).finally(() => close(open));
  }

  function close({ request: { id }, tracker }: EnhancementRun): void {
    all.delete(id);
    ended.set(id, tracker.state);
    const [oldest] = ended.keys();
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest);
  }

  /** Ends an enhancement that was never started. */
  async function end(open: EnhancementRun, changes: Partial<Enhancement>, sentence: string): Promise<void> {
    open.started = true;
    await CancellationScope.nonCancellable(() =>
      open.tracker.move({ ...changes, finishedAt: new Date().toISOString() }, sentence, { announce: true }),
    );
    close(open);
  }
  const notStarted = (): EnhancementRun[] => [...all.values()].filter(({ started }) => !started);

  async function cancel(open: EnhancementRun): Promise<Enhancement> {
    const { state } = open.tracker;
    if (!open.started) await end(open, { status: 'CANCELLED' }, 'Cancelled before it began.');
    else open.scope.cancel();
    await condition(() => isOver(state) || !all.has(state.id));
    return state;
  }

  return {
    get count() {
      return all.size;
    },
    get waiting() {
      return notStarted().length > 0;
    },
    accept(requests) {
      const [ids, given] = [listed.length, references.length];
      const accepted = requests.map(acceptOne);
      const values = listed.slice(-MAX_LISTED_ENHANCEMENTS);
      if (listed.length > ids)
        upsertSearchAttributes([
          { key: enhancementIdAttribute, value: values },
          ...(references.length > given ? [{ key: referenceAttribute, value: listedReferences(references) }] : []),
        ]);
      return accepted;
    },
    find: (enhancementId) => all.get(enhancementId),
    async inspectWithOrder() {
      const [only, ...others] = all.values();
      if (only === undefined || others.length > 0 || only.started || !mayInspectWith(only, upload.state)) return null;
      const inspection: SharedInspection = { found: undefined, isRecorded: false };
      shared = inspection;
      start(only, inspection);
      await condition(() => inspection.found !== undefined);
      return inspection.found ?? null;
    },
    startWaiting() {
      for (const each of notStarted()) start(each);
    },
    async failWaiting({ code, detail }) {
      const changes = { status: 'ERROR', errorCode: code, errorDetail: detail } as const;
      await Promise.all(notStarted().map((each) => end(each, changes, `Failed with ${code}: ${detail}`)));
    },
    async received() {
      if (shared !== undefined) shared.isRecorded = true;
      const refused = notStarted().flatMap((each) => {
        const reason = unfitness(each.request, upload.state, plan);
        return reason === null ? [] : [{ each, reason }];
      });
      await Promise.all(
        refused.map(({ each, reason: { code, detail } }) =>
          end(each, { status: 'ERROR', errorCode: code, errorDetail: detail }, `Failed with ${code}: ${detail}`),
        ),
      );
    },
    cancel,
    async cancelAll() {
      await Promise.all([...all.values()].map(cancel));
      // The terminal status is written before the last files are deleted.
      await condition(() => all.size === 0);
    },
    get idle() {
      return [...all.values()].every(({ started, idle }) => !started || idle);
    },
    carry: () => [...all.values()].map(carried),
  };
}

/** The reason for which a request cannot be applied to a received file; null for none. */
function unfitness(
  { parameters, plan }: EnhancementRequest,
  upload: Upload,
  usualPlan: PlanTerms,
): FailureReason | null {
  if (upload.file === null) return null;
  try {
    assertFits(upload, plan ?? usualPlan, parameters);
    return null;
  } catch (error) {
    return failureReason(error);
  }
}

function carried({ request, tracker: { state }, progress, scope }: EnhancementRun): CarriedEnhancement {
  const first = initialEnhancement(request, { ...state, id: state.uploadId }, state.createdAt);
  const changes = Object.fromEntries(
    Object.entries(state).filter(
      ([name, value]) => value !== first[name as keyof Enhancement] && name !== 'parameters',
    ),
  ) as Partial<Enhancement>;
  const trace = findTrace(scope);
  return { request, acceptedAt: state.createdAt, changes, progress, ...(trace && { trace }) };
}
