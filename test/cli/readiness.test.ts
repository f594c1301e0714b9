import { expect, it } from 'vitest';
import { processReadiness } from '../../src/cli/readiness.ts';

type Parts = Parameters<typeof processReadiness>;

const answers = () => Promise.resolve();
const fails = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:7233'));

function readiness({ ping = answers, ask = answers, running = true }) {
  const client = { workflowService: { getSystemInfo: ask }, withDeadline: (_: number, call: () => unknown) => call() };
  const ground = { database: { ping } } as unknown as Parts[0];
  return processReadiness(ground, { client } as unknown as Parts[1], { running: () => running });
}

it('a process can do its part while its workers run, and the database and Temporal answer', async () => {
  expect(await readiness({})).toEqual({ ready: true, problems: [] });
});

it('each thing that is missing is named, and nothing of the reason', async () => {
  expect(await readiness({ ping: fails })).toEqual({ ready: false, problems: ['The database does not answer.'] });
  expect(await readiness({ ask: fails })).toEqual({ ready: false, problems: ['Temporal does not answer.'] });
  const { problems } = await readiness({ ping: fails, ask: fails, running: false });
  expect(problems).toHaveLength(3);
});
