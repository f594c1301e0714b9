import { afterAll, afterEach } from '@jest/globals';
import { currentTestHasFailed } from '../support/running-test.ts';
import { STARTED } from '../support/instance.ts';
import { killAtOnce, processTree } from './processes.ts';

/** For test files: instances whose output a failed test shows, and which end with the file. */
export * from '../support/instance.ts';

/** Characters of an instance's output that a failed test shows. */
const SHOWN = 6_000;

afterEach(() => {
  if (!currentTestHasFailed()) return;
  for (const { name, output } of STARTED)
    console.error(`--- ${name} said:\n${withoutRequests(output()).slice(-SHOWN)}`);
});

/** Whatever a failed test left running. */
afterAll(() => killAtOnce(STARTED.flatMap(({ pid, shared }) => (shared ? [] : processTree(pid)))));

/** Lines about requests that went well would bury the rest. */
const withoutRequests = (text: string): string => text.replace(/^\{.*"status":2\d\d.*"msg":"request"\}\n/gm, '');
