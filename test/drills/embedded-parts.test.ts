import { expect, test } from '@jest/globals';
import type { ProcessIdentity } from '../../src/process/process-identity.ts';
import { photo } from '../e2e/files.ts';
import { freePorts, type Instance, startInstance } from '../e2e/instance.ts';
import { commandLine, killAtOnce, processTree } from '../e2e/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/**
 * Kills the embedded Temporal server under load, again and again. Expects that the same instance starts it each time, and that
 * every accepted enhancement finishes and is charged once.
 */
async function killTemporalServers(dataDir: string, kills: number): Promise<void> {
  await using instance = await startInstance({ dataDir, ports: await freePorts() });
  const accepted: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    accepted.push(...(await uploadSome(instance, kill)));
    const server = await serverOf(instance);
    await killAtOnce([server]);
    await until(async () => (await isReady(instance)) && findServer(instance)?.pid !== server.pid);
  }
  for (const id of accepted) {
    const { status, enhancements } = await instance.api.settled(id);
    expect([status, enhancements[0]?.status]).toEqual(['UPLOAD_FINISHED', 'FINISHED']);
  }
  // One that got 503 may have begun, and then finishes too, or is withdrawn.
  await until(async () => {
    const { items } = (await instance.api.get<{ items: unknown[] }>('/v1/uploads?limit=100')).body;
    const { used, reserved } = await instance.api.credits();
    return (reserved === 0 && used === items.length && used >= accepted.length) || undefined;
  });
  expect(await instance.stop()).toBe(0);
}

/** @returns ids of accepted uploads; a gateway may refuse some with 503 while Temporal is away */
async function uploadSome({ api }: Instance, round: number): Promise<string[]> {
  const answers = await Promise.all(
    [0, 1, 2, 3].map(async (index) => api.upload(await photo(10 * round + index + 1), { enhancements: [{}] })),
  );
  expect(answers.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
  return answers.filter(({ status }) => status === 202).map(({ body }) => body.id);
}

const findServer = ({ pid }: Instance): ProcessIdentity | undefined =>
  processTree(pid).find((each) => /temporal server start-dev --db-filename/.test(commandLine(each)));
const serverOf = (instance: Instance): Promise<ProcessIdentity> => until(async () => findServer(instance));
const isReady = ({ url }: Instance): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

test('an instance starts a killed Temporal server again, also for the fifth time within ten minutes', async () => {
  await using folder = await temporaryFolder();
  await killTemporalServers(folder.path, 5);
}, 400_000);
