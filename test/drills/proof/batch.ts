import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { judgeBatch, runBatch } from '../batches/run-batch.ts';
import { inRounds, type Proof, type ProofOptions } from './proof.ts';

const [ITEMS, SAMPLES, KILL_SECONDS] = [1_000, 20, 20];

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
    const kills = Object.entries(run.kills).map(([part, count]) => [`kills of ${part}`, count] as const);
    return {
      ...judgeBatch(run),
      lifecycles: run.batch.counts.items,
      stallSeconds: run.stallSeconds,
      events: Object.fromEntries(kills),
    };
  });
