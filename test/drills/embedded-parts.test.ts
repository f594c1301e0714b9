import { expect, test } from '@jest/globals';
import type { ProcessIdentity } from '../../src/process/process-identity.ts';
import { photo } from '../e2e/files.ts';
import { freePorts, type Instance, startInstance } from '../e2e/instance.ts';
import { commandLine, killAtOnce, processTree } from '../e2e/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** Exit code of an instance after the failure of a part. */
const PART_FAILED = 69;

interface KilledServers {
  /** Kills after which the instance started the server again */
  restartsInPlace: number;
  /** Kills after which the instance ended, and its supervisor started it again */
  restartsOfInstance: number;
  accepted: number;
}

/**
 * Kills the embedded Temporal server under load, and starts the instance again when it has ended, as a supervisor does.
 * Expects the exit code of a failed part, and that every accepted enhancement finishes and is charged once.
 */
async function killTemporalServers(dataDir: string, kills: number): Promise<KilledServers> {
  const ports = await freePorts();
  let instance = await startInstance({ dataDir, ports });
  const { apiKey } = instance;
  const accepted: string[] = [];
  let restartsOfInstance = 0;
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      accepted.push(...(await uploadSome(instance, kill)));
      const server = await serverOf(instance);
      await killAtOnce([server]);
      const next = await until(async () => {
        if (hasEnded(instance)) return 'instance';
        return (await isReady(instance)) && findServer(instance)?.pid !== server.pid ? 'server' : undefined;
      });
      if (next === 'server') continue;
      restartsOfInstance += 1;
      expect(await instance.ended).toBe(PART_FAILED);
      instance = await startInstance({ dataDir, ports, apiKey });
    }
    for (const id of accepted) {
      const { status, enhancements } = await instance.api.settled(id);
      expect([status, enhancements[0]?.status]).toEqual(['UPLOAD_FINISHED', 'FINISHED']);
    }
    expect(await instance.api.credits()).toMatchObject({ used: accepted.length, reserved: 0 });
    expect(await instance.stop()).toBe(0);
    return { restartsInPlace: kills - restartsOfInstance, restartsOfInstance, accepted: accepted.length };
  } finally {
    await instance[Symbol.asyncDispose]();
  }
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
const hasEnded = ({ child }: Instance): boolean => child.exitCode !== null || child.signalCode !== null;
const isReady = ({ url }: Instance): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

test('an instance starts a killed Temporal server again three times, then ends with its exit code', async () => {
  await using folder = await temporaryFolder();
  const { restartsInPlace, restartsOfInstance } = await killTemporalServers(folder.path, 4);
  expect({ restartsInPlace, restartsOfInstance }).toEqual({ restartsInPlace: 3, restartsOfInstance: 1 });
}, 400_000);
