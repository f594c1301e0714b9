import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { afterEach, expect, jest, test } from '@jest/globals';
import {
  startOnce,
  START_PERMIT_MS,
  COMMANDS_AT_ONCE,
  COMMANDS_OF_ACCOUNT,
} from '../../../src/api/commands/workflow-commands.ts';
import type { TemporalClient } from '../../../src/api/commands/command-types.ts';

afterEach(() => void jest.useRealTimers());

/** A workflow service that takes a start when it is told to. */
function slowService() {
  const asked: (() => void)[] = [];
  const begun: string[] = [];
  const taken: string[] = [];
  const client = {
    withDeadline: (_deadline: unknown, call: () => Promise<unknown>) => call(),
    workflow: {
      start: async (_type: string, { workflowId }: { workflowId: string }) => {
        begun.push(workflowId);
        await new Promise<void>((take) => asked.push(take));
        taken.push(workflowId);
      },
    },
  } as unknown as TemporalClient;
  const start = (id: number, permitOf = `account ${id}`) =>
    startOnce(client, permitOf, 'upload', { workflowId: `upload/${id}`, taskQueue: 'burnish', args: [] });
  return { asked, begun, taken, start };
}

const ids = Array.from({ length: 3 * COMMANDS_AT_ONCE }, (_, i) => i);
const settle = () => new Promise((resolve) => setImmediate(resolve));

// Once, of 1,000 uploads at one moment some 80 were refused: each had its ten seconds, and all of them ran at the same time.
test('parallel starts of workflows are limited to the capacity of the service, and all succeed', async () => {
  const { asked, taken, start } = slowService();
  const starts = Promise.all(ids.map((id) => start(id)));
  let most = 0;
  for (let done = 0; done < ids.length;) {
    await settle();
    most = Math.max(most, asked.length);
    for (const take of asked.splice(0)) {
      take();
      done += 1;
    }
  }
  await starts;
  expect(most).toBe(COMMANDS_AT_ONCE);
  expect(taken).toEqual(ids.map((id) => `upload/${id}`));
});

// A calm account was refused after seconds, because the turns of others came first.
test('of three accounts with 200 starts each, a few reach the service at once, and the start of a fourth waits for one of each', async () => {
  const { asked, begun, taken, start } = slowService();
  const floods = ['first', 'second', 'third'];
  const flood = Array.from({ length: 600 }, (_, id) => start(id, floods[id % 3]));
  await settle();
  expect(asked).toHaveLength(COMMANDS_AT_ONCE);
  const calm = start(1_000, 'calm');
  for (let done = 0; done < 601; done += 1) {
    if (done === floods.length) expect(begun).toContain('upload/1000');
    asked.shift()!();
    await settle();
  }
  await Promise.all([...flood, calm]);
  for (const each of [0, 1, 2]) {
    const own = taken.map((id) => Number(id.slice('upload/'.length))).filter((id) => id < 600 && id % 3 === each);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
  }
});

test('the starts of one account leave turns to others', async () => {
  const { asked, taken, start } = slowService();
  const flood = Array.from({ length: 200 }, (_, id) => start(id, 'flood'));
  await settle();
  expect(asked).toHaveLength(COMMANDS_OF_ACCOUNT.starts);
  const calm = start(1_000, 'calm');
  await settle();
  asked.pop()!();
  await calm;
  expect(taken).toEqual(['upload/1000']);
  for (let done = 0; done < 200; done += 1) {
    asked.shift()!();
    await settle();
  }
  await Promise.all(flood);
});

test('a start that waits too long is refused with a transient failure and never reaches the service', async () => {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
    ],
  });
  const { asked, taken, start } = slowService();
  const first = ids.slice(0, COMMANDS_AT_ONCE).map((id) => start(id));
  const late = start(999);
  const refused = expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 5 });
  await settle();
  jest.advanceTimersByTime(START_PERMIT_MS);
  // At once, and not when those before it are done.
  await refused;
  for (const take of asked) take();
  await Promise.all(first);
  expect(taken).not.toContain('upload/999');
});

test('a start of a workflow that exists already is done, and any other failure is passed on', async () => {
  const options = { workflowId: 'upload/1', taskQueue: 'burnish', args: [] };
  const startAgainst = (error: Error) => {
    const withDeadline = (_deadline: unknown, call: () => Promise<unknown>) => call();
    const client = { withDeadline, workflow: { start: () => Promise.reject(error) } } as unknown as TemporalClient;
    return startOnce(client, 'account', 'upload', options);
  };
  await startAgainst(new WorkflowExecutionAlreadyStartedError('It exists.', 'upload/1', 'upload'));
  await expect(startAgainst(new Error('It is away.'))).rejects.toMatchObject({ code: 'INTERNAL' });
});
