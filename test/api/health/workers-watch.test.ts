import { expect, test } from '@jest/globals';
import type { Enhancement, Upload } from '@burnish/contract';
import { uploadWait } from '../../../src/api/uploads/upload-schemas.ts';
import { watchWorkers, enhancementWait } from '../../../src/api/health/workers-watch.ts';
import { TASK_QUEUES } from '../../../src/domain/temporal/workflow-interface.ts';
import { poll } from '../../support/poll.ts';

test('a failed check keeps the last answer about workers, and the next check replaces it', async () => {
  let answer = (): Promise<string[]> => Promise.resolve(['burnish-engine']);
  let looks = 0;
  const watch = watchWorkers(() => {
    looks += 1;
    return answer();
  }, 10);
  try {
    await poll(() => watch.away().engine).toBe(true);
    answer = () => Promise.reject(new Error('Temporal is away.'));
    const before = looks;
    await poll(() => looks).toBeGreaterThan(before + 1);
    expect(watch.away()).toEqual({ main: false, engine: true });
    answer = () => Promise.resolve([]);
    await poll(() => watch.away().engine).toBe(false);
  } finally {
    await watch.close();
  }
});

test.each(TASK_QUEUES)('a queue without a worker counts as one of its role: $name', async ({ name, role }) => {
  const watch = watchWorkers(() => Promise.resolve([name]), 10);
  try {
    await poll(() => watch.away()).toEqual({ main: role === 'main', engine: role === 'engine' });
  } finally {
    await watch.close();
  }
});

const enhancement = (status: Enhancement['status'], waitingFor: Enhancement['waitingFor'] = null): Enhancement =>
  ({ status, waitingFor }) as Enhancement;
const upload = (status: Upload['status'], subStatus: Upload['subStatus'] = null): Upload =>
  ({ status, subStatus, waitingFor: null }) as Upload;

test.each([
  ['QUEUED', null, 'worker'],
  ['PROCESSING', 'storage', 'storage'],
  ['AWAITING_CREDITS', null, 'credits'],
  ['FINISHED', null, null],
] as const)('without an engine worker an enhancement that is %s and waits for %s reports %s', (status, said, shown) => {
  expect(enhancementWait(enhancement(status, said), { main: false, engine: true })).toBe(shown);
});

test.each([
  [upload('UPLOAD_PROCESSING'), { main: true, engine: false }, 'worker'],
  [upload('UPLOAD_PROCESSING'), { main: false, engine: true }, null],
  [upload('UPLOAD_FINISHED', 'METADATA_ANALYZING'), { main: false, engine: true }, 'worker'],
  [upload('UPLOAD_FINISHED'), { main: true, engine: true }, null],
  [upload('UPLOAD_PENDING'), { main: true, engine: true }, null],
] as const)('an upload reports a missing worker only while it needs one (%#)', (record, away, shown) => {
  expect(uploadWait(record, away)).toBe(shown);
});
