import '../setup/quiet-temporal.ts';
import { Writable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from '@jest/globals';
import { failureInterceptor } from '../../src/activities/failure.ts';
import { createLogger } from '../../src/api/http/logger.ts';

const SECRET = 'whsec_c2VjcmV0LW9mLWEtd2ViaG9vaw';

/** Log of a worker after an activity throws the value. */
async function logOf(thrown: unknown): Promise<string> {
  let text = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const log = createLogger({ level: 'info', destination });
  const info = {
    activityType: 'recordUpload',
    attempt: 3,
    workflowExecution: { workflowId: 'upload/upl_1', runId: 'r' },
  };
  const throwing = (): Promise<never> => {
    throw thrown;
  };
  const environment = new MockActivityEnvironment(info, {
    interceptors: [(context) => ({ inbound: failureInterceptor(context, log) })],
  });
  await expect(environment.run(throwing)).rejects.toMatchObject({ type: 'INTERNAL' });
  return text;
}

test('the log of a worker names workflow, activity and attempt, and what went wrong where', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const line = JSON.parse(await logOf(new Error('The record cannot be written.', { cause })));
  expect(line).toMatchObject({
    level: 50,
    workflowId: 'upload/upl_1',
    activityType: 'recordUpload',
    attempt: 3,
    msg: 'activity failed unexpectedly',
    err: { type: 'Error', message: 'The record cannot be written.', cause: { code: 'ECONNREFUSED' } },
  });
  expect(line.err.stack).toContain('failure-log.test.ts');
});

test.each([
  ['a failed query', new DrizzleQueryError('insert into x values ($1)', [SECRET, 'a\nb'], new Error('no'))],
  ['a request that hangs on the error', Object.assign(new Error('no'), { request: { headers: { 'X-Key': SECRET } } })],
  ['the query of an address', new Error(`GET https://s3.example.com/b/k?X-Amz-Signature=${SECRET}&x=1 failed`)],
  ['the password of an address', new Error(`cannot reach postgres://burnish:${SECRET}@db:5432/burnish`)],
  ['a cause of a cause', new Error('a', { cause: new Error('b', { cause: new Error(`http://u:${SECRET}@h/`) }) })],
  ['a text that was thrown', `https://h/p?token=${SECRET}`],
])('the log of a worker never shows a secret in %s', async (_, error) => {
  const text = await logOf(error);
  expect(text).toContain('activity failed unexpectedly');
  expect(text).not.toContain(SECRET);
});
