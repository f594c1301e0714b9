import type { Context } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { accountsIn, oneAccountInterceptor } from '../../src/activities/one-account.ts';

const [A, B] = ['acc_00000000000000000000000001', 'acc_00000000000000000000000002'];
const upload = 'upl_00000000000000000000000001';

/** What an activity with this input does behind the interceptor, and what the log hears. */
async function execute(...args: unknown[]) {
  const logged: unknown[] = [];
  const context = { info: { activityType: 'enhance', workflowExecution: { workflowId: 'upload/1' } } } as Context;
  const { execute: run } = oneAccountInterceptor(context, { error: (facts) => void logged.push(facts) });
  const outcome = await run!({ args, headers: {} }, async () => 'done').catch((error: unknown) => error);
  return { outcome, logged };
}

const job = (source: string, result: string) => ({
  source: { objectKey: `${source}/${upload}/original`, mimetype: 'image/jpeg' },
  resultKey: `${result}/${upload}/enh_00000000000000000000000001`,
});

test('an enhancement of a foreign file for an own result is refused, once and for all, and logged', async () => {
  const { outcome, logged } = await execute(job(A, B));
  expect(outcome).toMatchObject({ type: 'INTERNAL', nonRetryable: true });
  expect(String(outcome)).not.toContain(A);
  expect(logged).toEqual([{ activityType: 'enhance', workflowId: 'upload/1', accounts: [A, B] }]);
});

test.each([
  ['a record of one account with a key of another', { accountId: B, objectKey: `${A}/${upload}/original` }],
  ['a copy from one account to another', { from: `${A}/${upload}/original`, to: `${B}/${upload}/original` }],
  ['a key deep in a list', { accountId: B, steps: [{ span: { workKey: `${A}/${upload}/enh/work/1` } }] }],
])('%s is refused', async (_, input) => {
  expect((await execute(input)).outcome).toMatchObject({ nonRetryable: true });
});

test.each([
  ['files of one account', job(A, A)],
  ['a range of images', { workKey: `${A}/${upload}/enh/work/1`, from: 3, to: 7, accountId: A }],
  ['no file at all', { enhancementId: 'enh_1' }],
])('%s pass as they are', async (_, input) => {
  expect(await execute(input)).toEqual({ outcome: 'done', logged: [] });
});

test('an input that contains itself is looked at to a bounded depth', () => {
  const input: Record<string, unknown> = { accountId: A };
  input['again'] = input;
  expect(accountsIn([input])).toEqual(new Set([A]));
});
