import { condition, setHandler } from '@temporalio/workflow';
import { counted, hasEnded, type Batch, Failure } from '@burnish/contract';
import { activeStatus } from '../../domain/batch/batch-rules.ts';
import * as messages from '../../domain/temporal/workflow-interface.ts';
import { retryBatchItems } from '../activities.ts';
import { validated } from '../step.ts';
import type { BatchTracker } from './batch-state.ts';

/** @throws Failure CONFLICT unless the state allows the command */
function assertThat(isAllowed: boolean, detail: string): void {
  if (!isAllowed) throw new Failure('CONFLICT', { detail });
}

/**
 * Accepts commands from the first workflow task. A command that the batch has carried out already has no further effect.
 * @param wake called after each command
 */
export function acceptBatchCommands({ state, move }: BatchTracker, wake: () => void): void {
  const assertOpen = (): void =>
    assertThat(
      !hasEnded(state) && state.status !== 'CANCELLING',
      `The batch is ${state.status} and no longer accepts this command.`,
    );
  const waitsForApproval = (): boolean => state.status === 'APPROVAL_NEEDED';

  async function done(): Promise<Batch> {
    wake();
    return { ...state };
  }

  setHandler(messages.batchItemsAdded, wake);

  setHandler(
    messages.closeBatch,
    async () => {
      if (state.closedAt === null) {
        const closedAt = now();
        const status = state.status === 'COLLECTING' ? activeStatus({ ...state, closedAt }) : state.status;
        await move({ closedAt, status, pauseReason: state.pauseReason }, 'Closed: the batch accepts no further items.');
      }
      return done();
    },
    {
      validator: validated(() => assertThat(state.status !== 'CANCELLING' && state.status !== 'CANCELLED', CANCELLED)),
    },
  );

  setHandler(
    messages.approveBatch,
    async () => {
      if (state.approvedAt === null) await move({ status: 'RUNNING', approvedAt: now() }, 'Approved.');
      return done();
    },
    {
      validator: validated(() =>
        assertThat(
          waitsForApproval() || state.approvedAt !== null,
          `The batch is ${state.status}. Only a batch with status APPROVAL_NEEDED can be approved.`,
        ),
      ),
    },
  );

  setHandler(
    messages.pauseBatch,
    async () => {
      if (state.status !== 'PAUSED') {
        await move({ status: 'PAUSED', pauseReason: 'request' }, 'Paused on request. Running items end.');
      }
      return done();
    },
    {
      validator: validated(() => {
        assertOpen();
        assertThat(!waitsForApproval(), 'The batch is APPROVAL_NEEDED, so nothing runs. Approve or cancel it.');
      }),
    },
  );

  setHandler(
    messages.resumeBatch,
    async ({ maxCredits }) => {
      const budget = maxCredits === undefined ? {} : { maxCredits };
      if (state.status === 'PAUSED') await move({ status: activeStatus(state), ...budget }, 'Resumed.');
      return done();
    },
    {
      validator: validated(({ maxCredits }: messages.BatchResumption) => {
        assertOpen();
        assertThat(!waitsForApproval(), 'The batch is APPROVAL_NEEDED, and not PAUSED. Approve or cancel it.');
        assertThat(
          state.status === 'PAUSED' || maxCredits === undefined,
          `The batch is ${state.status}. Its budget can change only while it is PAUSED.`,
        );
        const isRaised = maxCredits !== undefined && state.maxCredits !== null && maxCredits > state.maxCredits;
        if (state.pauseReason === 'budget' && !isRaised) {
          const detail = `The batch has reached its budget of ${state.maxCredits} credits. Resume it with a higher maxCredits.`;
          throw new Failure('BAD_USER_INPUT', { field: 'maxCredits', detail });
        }
      }),
    },
  );

  setHandler(
    messages.cancelBatch,
    async () => {
      if (state.status !== 'CANCELLING' && !hasEnded(state)) {
        await move(
          { status: 'CANCELLING', closedAt: state.closedAt ?? now() },
          'Cancelling all items that have not ended.',
        );
      }
      wake();
      await condition(() => state.status !== 'CANCELLING');
      return { ...state };
    },
    {
      validator: validated(() =>
        assertThat(state.status !== 'FINISHED', 'The batch is FINISHED. Nothing is left to cancel.'),
      ),
    },
  );

  async function retry(items?: messages.BatchRetry): Promise<void> {
    const failed = { batchId: state.id, ...(items && { keys: [...items.keys] }) };
    let retried = 0;
    for (let some = -1; some !== 0; retried += Math.max(0, some)) some = await retryBatchItems(failed);
    if (retried === 0) return;
    const status = state.status === 'FINISHED' ? 'RUNNING' : state.status;
    const changes = { status, pauseReason: state.pauseReason, finishedAt: null, round: state.round + 1 };
    await move(
      { ...changes, halfReported: true, troubleReported: false },
      `Trying ${counted(retried, 'failed item')} again.`,
    );
  }
  /** A command waits for the one before it: it finds no more failed items, and its answer tells the round of both. */
  let lastRetry = Promise.resolve();

  setHandler(
    messages.retryBatch,
    (items) => {
      lastRetry = lastRetry.catch(() => undefined).then(() => retry(items));
      return lastRetry.then(done);
    },
    {
      validator: validated<[messages.BatchRetry?]>(() => {
        assertThat(state.status !== 'CANCELLING' && state.status !== 'CANCELLED', CANCELLED);
        assertThat(!waitsForApproval(), 'The batch is APPROVAL_NEEDED. Approve it first, then try failed items again.');
      }),
    },
  );
}

const CANCELLED = 'The batch is cancelled. Create another batch.';
const now = (): string => new Date().toISOString();
