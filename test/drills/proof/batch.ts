import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { judgeBatch, runBatch } from '../batches/run-batch.ts';
import { FINISH_WITHIN_MS, inRounds, type Proof, type ProofOptions } from './proof.ts';

const [ITEMS, SAMPLES, KILL_SECONDS] = [1_000, 20, 20];
/** Events of a whole batch, once each. */
const EVENTS = ['batch.approval_needed', 'batch.half_done', 'batch.ended'];

/** One batch after the other, each with a new instance, while decoders, Temporal and the whole instance are killed in turn. */
export const proveBatches = ({ ms, report }: ProofOptions): Promise<Proof> =>
  inRounds(ms, async () => {
    await using folder = await temporaryFolder();
    await using receiver = await webhookReceiver();
    const run = (await runBatch({
      ...{ items: ITEMS, samples: SAMPLES, killSeconds: KILL_SECONDS, folder: folder.path, receiver },
      // Without an end: the last batch is a whole one.
      said: report,
    }))!;
    const { lost, charged, others } = judgeBatch(run);
    const missing = (): string[] =>
      EVENTS.filter((kind) => !receiver.deliveries.some(({ event, status }) => event.event === kind && status < 300));
    await until(missing, ({ length }) => length === 0, { withinMs: FINISH_WITHIN_MS }).catch(() => undefined);
    const kills = Object.entries(run.kills).map(([part, count]) => [`kills of ${part}`, count] as const);
    return {
      ...{ lost, charged, others },
      untold: missing().map((kind) => `${run.batch.id}: no event ${kind}`),
      lifecycles: run.batch.counts.items,
      stallSeconds: run.stallSeconds,
      events: Object.fromEntries(kills),
    };
  });
