import { z } from 'zod';
import type { createTestClockCommands } from './test-clock-commands.ts';
import { ok } from '../rest/answers.ts';
import { operation } from '../rest/operation.ts';

/** 400 days: more than any retention. */
const MAX_SECONDS = 400 * 86_400;

const advanceClockBody = z
  .strictObject({
    seconds: z.int().min(1).max(MAX_SECONDS).meta({ description: 'Seconds to advance the clock.', example: 86_400 }),
  })
  .meta({ id: 'AdvanceTestClock' });

const testClockSchema = z
  .object({ seconds: z.int().meta({ description: 'Seconds of this advance.' }) })
  .meta({ id: 'TestClock', description: 'An advance of the clock.' });

/** `/v1/test/clock`: the clock of a test account. */
export const testClockOperations = [
  operation({
    operationId: 'advanceTestClock',
    scope: 'uploads',
    method: 'post',
    path: '/v1/test/clock',
    tag: 'Account',
    summary: 'Advance the clock of a test account',
    description:
      'Ends waits of existing uploads and deliveries: for the next attempt, for credits, for an approval, for the file of a signed URL, and for the end of a retention. Times of records and periods of credits stay real. FORBIDDEN without a test key, RATE_LIMITED while another advance of the account runs.',
    body: advanceClockBody,
    example: { seconds: 86_400 },
    answer: ok('The advance.', testClockSchema),
    handle: (
      { caller, body, idempotencyKey },
      { commands }: { commands: ReturnType<typeof createTestClockCommands> },
    ) => commands.advanceTestClock(caller, body.seconds, idempotencyKey),
  }),
];
