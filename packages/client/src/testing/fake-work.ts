import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { Failure } from '@burnish/contract';
import type { EnhanceInput } from '../temporal/workflow.ts';
import type { Enhancement } from '../types.ts';
import { planCourse, type Course, type FakeOutcome } from './course.ts';
import { look, released, type fakeEnhancement } from './fake-enhancement.ts';
import { toOrder } from './input.ts';
import type { Begin } from './record.ts';
import { skipTime, type FakeClock } from './skip-time.ts';

export interface FakeWorkDeps {
  /** Skips no time by itself */
  client: Client;
  clock: FakeClock;
  outcomeOf(input: EnhanceInput): FakeOutcome;
}

/** The enhancements of a fake. A workflow of the environment backs each. */
export interface FakeWork {
  /** Accepted inputs by the ids of their enhancements, in their order */
  readonly orders: ReadonlyMap<string, EnhanceInput>;
  /** @param ids that of the upload is for a new one @throws Failure for an input that the service refuses */
  accept(input: EnhanceInput, ids: Omit<Begin, 'atMs'>): Promise<Course>;
  workflowId(enhancementId: string): string;
  handle(enhancementId: string): WorkflowHandle<typeof fakeEnhancement>;
  /** Lets the time of a started enhancement pass until its course is over. A repeated call does nothing. */
  follow(enhancementId: string): void;
  /** Ends the skips of time for an enhancement, whose course is over. May be repeated. */
  end(enhancementId: string): void;
  /** @throws Failure NOT_FOUND */
  read(enhancementId: string): Promise<Enhancement>;
}

export function createFakeWork({ client, clock, outcomeOf }: FakeWorkDeps): FakeWork {
  const orders = new Map<string, EnhanceInput>();
  const followed = new Set<string>();
  const ends = new Map<string, AbortController>();
  const workflowId = (id: string): string => `burnish-fake/${id}`;
  const handle: FakeWork['handle'] = (id) => client.workflow.getHandle(workflowId(id));
  const endOf = (id: string): AbortController => {
    const end = ends.get(id) ?? new AbortController();
    ends.set(id, end);
    return end;
  };
  async function skipUntilEnd(id: string): Promise<void> {
    const course = handle(id);
    const waitsUntil = async () => (await course.query(look)).waitsUntil;
    await skipTime({ over: endOf(id).signal, waitsUntil }, clock);
    await course.signal(released);
  }
  return {
    orders,
    workflowId,
    handle,
    async accept(input, ids) {
      const order = toOrder(input);
      const { source } = input;
      const uploadId = 'uploadId' in source ? source.uploadId : ids.uploadId;
      const course = planCourse(order, { ...ids, uploadId, atMs: await clock.now() }, outcomeOf(input));
      orders.set(ids.enhancementId, input);
      return course;
    },
    follow(id) {
      if (followed.has(id)) return;
      followed.add(id);
      // It fails when the fake or its environment has ended.
      skipUntilEnd(id).catch(() => undefined);
    },
    end: (id) => endOf(id).abort(),
    async read(id) {
      try {
        return (await handle(id).query(look)).record;
      } catch (error) {
        throw error instanceof WorkflowNotFoundError ? new Failure('NOT_FOUND') : error;
      }
    },
  };
}
