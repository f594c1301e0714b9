import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import pLimit from 'p-limit';
import { type Account, Failure } from '@burnish/contract';
import {
  type ClockAdvance,
  clockAdvanced,
  deliveryWorkflowId,
  uploadWorkflowId,
} from '../domain/temporal/workflow-interface.ts';
import type { AccountDeletion } from '../database/accounts/account-deletion.ts';
import type { Deliveries } from '../database/webhooks/deliveries.ts';
import { createFairLimiter } from '../process/fair-limiter.ts';

/** Uploads of a test account that one request advances, and deliveries. */
const MAX_WORKFLOWS = 500;
/** What one account may wake, so that a clock that is advanced again and again leaves the workflow service to others. */
const PACE = { atOnce: 100, aSecond: 5 };
/** A gateway wakes at most this many workflows in each interval of `WAKING_MS`, so that test accounts leave the workers to others. */
const WOKEN_AT_ONCE = 10;
const WAKING_MS = 250;

export interface ClockDeps {
  client: { workflow: Pick<Client['workflow'], 'getHandle'> };
  deletion: Pick<AccountDeletion, 'uploadsLeft'>;
  deliveries: Pick<Deliveries, 'pending'>;
}

/**
 * Advances the clock of a test account: every wait of its present uploads and deliveries.
 * @param isRepeated whether an equal request came before, which then has had its effect
 * @throws Failure FORBIDDEN for any other account; BAD_USER_INPUT with too many uploads or deliveries; RATE_LIMITED while
 * another call of the account runs
 */
export type AdvanceClock = (
  account: Pick<Account, 'id' | 'testOf'>,
  seconds: number,
  isRepeated: () => Promise<boolean>,
) => Promise<void>;

export function createAdvanceClock({ client, deletion, deliveries }: ClockDeps): AdvanceClock {
  const calls = createFairLimiter({ atOnce: Infinity, ofOwner: 1, waitingOfOwner: 0 });
  const limit = pLimit(1);
  const pace = createWakePace(PACE);

  async function wake(id: string, by: ClockAdvance): Promise<void> {
    try {
      await client.workflow.getHandle(id).signal(clockAdvanced, by);
    } catch (error) {
      // The first attempt of a delivery runs in the workflow of its upload. Other workflows have just ended.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  async function wakeAll(accountId: string, workflowIds: readonly string[], by: ClockAdvance): Promise<void> {
    for (let first = 0; first < workflowIds.length; first += WOKEN_AT_ONCE) {
      const ids = workflowIds.slice(first, first + WOKEN_AT_ONCE);
      await pause(pace.delayOf(accountId, ids.length, performance.now()));
      await limit(() => Promise.all([pause(WAKING_MS), ...ids.map((id) => wake(id, by))]));
    }
  }

  async function advance(accountId: string, seconds: number): Promise<void> {
    // Uploads come first: an upload passes the advance on to a delivery that it starts meanwhile.
    const uploadIds = await deletion.uploadsLeft(accountId, MAX_WORKFLOWS + 1);
    const deliveryIds = await deliveries.pending(accountId, MAX_WORKFLOWS + 1);
    if (Math.max(uploadIds.length, deliveryIds.length) > MAX_WORKFLOWS) {
      const detail = `The clock reaches at most ${MAX_WORKFLOWS} uploads and as many deliveries. Delete uploads, and try again.`;
      throw new Failure('BAD_USER_INPUT', { detail });
    }
    const by = { seconds, id: randomUUID() };
    await wakeAll(accountId, uploadIds.map(uploadWorkflowId), by);
    await wakeAll(accountId, deliveryIds.map(deliveryWorkflowId), by);
  }

  return async ({ id: accountId, testOf }, seconds, isRepeated) => {
    if (testOf === null) {
      const detail = 'Only a test key can advance the clock. Create a key with test: true, and use it.';
      throw new Failure('FORBIDDEN', { detail });
    }
    await calls.run({ owner: accountId, refusal: isAdvancing }, async () => {
      if (!(await isRepeated())) await advance(accountId, seconds);
    });
  };
}

function isAdvancing(): Failure {
  const detail = 'Another request is advancing the clock of this account. Wait for its answer, and try again.';
  return new Failure('RATE_LIMITED', { detail, retryAfterSeconds: 2 });
}

/** How fast the clocks of test accounts wake workflows. */
export interface WakePace {
  /**
   * Counts workflows that an account wakes now.
   * @param nowMs milliseconds of a monotonic clock
   * @returns milliseconds to wait before them; 0 while the account has woken few of late
   */
  delayOf(accountId: string, count: number, nowMs: number): number;
}

/**
 * A pace for each account by the generic cell rate algorithm (ITU-T I.371): a number of workflows at once, then so many a second.
 * Each woken workflow costs the workflow service two tasks, so a clock that never rests leaves the service to others.
 */
export function createWakePace({ atOnce, aSecond }: { atOnce: number; aSecond: number }): WakePace {
  const intervalMs = 1_000 / aSecond;
  const tolerance = atOnce * intervalMs;
  /** By account: the moment at which it may again wake all at once. A rested account has none. */
  const restedAt = new Map<string, number>();

  return {
    delayOf(accountId, count, nowMs) {
      for (const [id, at] of restedAt) if (at <= nowMs) restedAt.delete(id);
      const next = Math.max(restedAt.get(accountId) ?? 0, nowMs) + count * intervalMs;
      restedAt.set(accountId, next);
      return Math.max(0, next - nowMs - tolerance);
    },
  };
}
