import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { type Copying, restoreCopy } from '../older/restore-copy.ts';
import { inRounds, type Proof, type ProofOptions } from './proof.ts';

/** Work before a copy, and between the copy and the loss of the machine, milliseconds. */
const [BEFORE_MS, AFTER_MS] = [60_000, 20_000];
const WAY: Copying = 'snapshot';

/** Loses an instance and starts the copy of its data folder again and again. Each copy is made while the instance works. */
export const proveRestores = ({ ms, perSecond, report }: ProofOptions): Promise<Proof> =>
  inRounds(ms, async () => {
    await using receiver = await webhookReceiver();
    const times = { beforeMs: BEFORE_MS, afterMs: AFTER_MS, perSecond };
    const { known, newer, stallSeconds, ...harm } = await restoreCopy(WAY, receiver, times);
    report(`${known} uploads are in the copy, ${newer} came after it; done after ${stallSeconds.toFixed(0)} s.`);
    return { ...harm, lifecycles: known, stallSeconds, events: { 'uploads after the copy': newer } };
  });
