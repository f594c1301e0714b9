import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  executeChild,
  proxyActivities,
  rootCause,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { EnhancedImage, Order, Outcome, Steps, Upload } from './steps';

/*
 * "Burnish:" says what the product does beyond a step. Its own workflow is src/workflows/ in its repository.
 */

/** Calls that answer in seconds. Temporal repeats them, so an outage of the service delays an order and fails none. */
const { analyze, checkCredits, notify, readUpload, readEnhancement } = proxyActivities<Steps>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumInterval: '5 minutes' },
});

/** Work that carries a file. A missing heartbeat tells soon that its worker is gone. */
const { upload, enhance, download } = proxyActivities<Steps>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { maximumInterval: '5 minutes' },
});

/** A person approves or rejects the price. */
export const decide = defineSignal<[approved: boolean]>('decide');
/** The service sent a webhook about an upload or an enhancement. */
export const changed = defineSignal('changed');

/** Enhances one file, from the order to the message to the shop. */
export async function lifecycle(order: Order): Promise<Outcome> {
  let approved: boolean | undefined;
  setHandler(decide, (decision) => void (approved ??= decision));

  let outcome: Outcome;
  try {
    // Burnish: an interrupted upload continues where it stopped, and an address may not lead into a private network.
    const sent = await upload(order);

    const file = await analyzed(sent);

    // Burnish: the credits are reserved here. Without that, another order may spend them before `enhance`.
    const price = await affordable(file, order);
    if (price > order.maxCredits) {
      await condition(() => approved !== undefined, '7 days');
      if (!approved) throw failure('APPROVAL_REJECTED', `Nobody approved the price of ${price} credits.`);
    }

    // Burnish: each account has its share of the service, so that a batch of one does not delay the file of another.
    const { id, status, errorCode } = await settled('enhancement', await enhance(sent.id, order.enhancement));
    if (status !== 'FINISHED') throw failure(errorCode ?? status, `The enhancement ended as ${status}.`);

    // Burnish: the result is decoded before it counts, and kept in object storage until its retention ends.
    await download(id, order.resultPath);
    outcome = { status: 'DONE', resultPath: order.resultPath };
  } catch (error) {
    const reason = rootCause(error) ?? String(error);
    // The shop hears of a cancelled order too. Burnish: a cancellation also ends the work at the service.
    await CancellationScope.nonCancellable(() => notify({ status: 'FAILED', reason }));
    throw error;
  }
  // Burnish: ten attempts in a day, a log of them that a person may repeat, and an endpoint that stays dead is disabled.
  await notify(outcome);
  return outcome;
}

/**
 * Waits for the analysis of a PDF, which the service begins by itself, and has it repeated after a failure. An image has
 * none. Burnish: a fault of the machine is repeated for a day, and a fault of the file never.
 */
async function analyzed(sent: Upload): Promise<Upload> {
  for (let attempt = 1; ; attempt += 1) {
    const file = await settled('upload', sent);
    if (file.status !== 'UPLOAD_FINISHED') throw failure(file.status, `The upload ended as ${file.status}.`);
    if (file.subStatus !== 'METADATA_ANALYZED_FAILED') return file;
    if (attempt === 3) throw failure(file.subStatus, 'The analysis of the PDF failed three times.');
    await sleep(attempt * 60_000);
    sent = await analyze(file.id);
  }
}

/** Waits a day for credits, and returns the price. Burnish: a top-up wakes the order at once. */
async function affordable(file: Upload, { enhancement }: Order): Promise<number> {
  for (let hour = 0; ; hour += 1) {
    const { price, remaining } = await checkCredits(file, enhancement);
    if (price <= remaining) return price;
    if (hour === 24) throw failure('INSUFFICIENT_CREDITS', `The file costs ${price} credits; ${remaining} remain.`);
    await sleep('1 hour');
  }
}

/** The record once the service is done with it. The engine is done at once, and needs no second workflow. */
async function settled<K extends keyof Records>(kind: K, record: Records[K]): Promise<Records[K]> {
  if (!record.busy) return record;
  const options = { workflowId: `service/${record.id}`, workflowExecutionTimeout: '1 day' } as const;
  return (await executeChild(settle, { ...options, args: [kind, record.id] })) as Records[K];
}

interface Records {
  upload: Upload;
  enhancement: EnhancedImage;
}

/**
 * Waits for one upload or enhancement. Its workflow id has the id of the service, so the gateway finds it without a
 * table. A webhook only wakes it: the state comes from the service, so a forged or repeated webhook costs one read. A
 * lost one, or one that comes before this workflow, delays until the next poll. Burnish: a webhook that comes too early
 * is kept, and a service that fails again and again is left alone for a while.
 */
export async function settle(kind: keyof Records, id: string): Promise<Upload | EnhancedImage> {
  let news = false;
  setHandler(changed, () => void (news = true));
  for (let pauseS = 2; ; pauseS = Math.min(2 * pauseS, 600)) {
    await condition(() => news, pauseS * 1000);
    news = false;
    const record = kind === 'upload' ? await readUpload(id) : await readEnhancement(id);
    if (!record.busy) return record;
  }
}

const failure = (type: string, message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, type);
