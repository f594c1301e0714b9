import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startWholeCluster } from '../cluster/cluster.ts';
import { startInstance } from '../e2e/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Api } from '../e2e/api.ts';
import { expectSoundBurst, figures, reasons, refusedBeside, servedAnswers, servedFigures } from './burst/answers.ts';
import { type Burst, burst, startScript, told } from './burst/flood.ts';

const COUNT = 3_000;
const API_KEY = 'key-of-nobody-at-all';

/** Settings of a process that measures its responses, and that accepts 3,000 callers with one address. */
const measured = (folder: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('burst/answer-times.mjs', import.meta.url))}`,
  ANSWER_TIMES: folder,
  BURNISH_HALF_OPEN_PER_ADDRESS: String(COUNT),
});

/** Baseline of the machine and its callers: the same number of servers that only refuse. */
async function yardstick(servers: number): Promise<Burst> {
  await using folder = await temporaryFolder();
  const scripts = Array.from({ length: servers }, () =>
    startScript('bare-server.ts', { ...process.env, ...measured(folder.path) }),
  );
  const ports = await Promise.all(scripts.map(told));
  const urls = ports.map((port) => `http://127.0.0.1:${String(port)}`);
  const flood = await burst(urls, API_KEY, COUNT);
  for (const script of scripts) script.disconnect();
  await Promise.all(scripts.map((script) => new Promise((resolve) => script.once('exit', resolve))));
  console.log(
    `${servers} bare: ${figures(flood)}\n  ${servedFigures(await servedAnswers(folder.path), flood.startedAt)}`,
  );
  return flood;
}

interface Flooded {
  name: string;
  urls: string[];
  apiKey: string;
  api: Api;
  /** Stops the flooded processes, which then write their measurements */
  stop(): Promise<void>;
  /** Folder of the measurements */
  folder: string;
}

async function drill({ name, urls, apiKey, api, stop, folder }: Flooded): Promise<void> {
  const bare = await yardstick(urls.length);
  const flood = await burst(urls, apiKey, COUNT);
  console.log(`${name}: ${figures(flood)}\n  ${reasons(flood.answers)}\n  ${refusedBeside(flood, bare)}`);
  try {
    console.log(`  ${await expectSoundBurst(api, flood.answers)}`);
  } finally {
    await stop();
    console.log(`  ${servedFigures(await servedAnswers(folder), flood.startedAt)}`);
  }
}

test('each of 3,000 parallel uploads to one instance is answered within 15 seconds, and accepted ones finish', async () => {
  await using folder = await temporaryFolder();
  await using instance = await startInstance({ env: measured(folder.path) });
  const { url, apiKey, api } = instance;
  const stop = async (): Promise<void> => expect(await instance.stop()).toBe(0);
  await drill({ name: '1 instance', urls: [url], apiKey, api, stop, folder: folder.path });
});

test('each of 3,000 parallel uploads to two gateways is answered within 15 seconds, and accepted ones finish', async () => {
  await using folder = await temporaryFolder();
  const { cluster, gateways } = await startWholeCluster({ env: measured(folder.path) });
  try {
    const { apiKey, api } = cluster;
    const urls = gateways.map(({ url }) => url);
    const stop = async (): Promise<void> => {
      for (const gateway of gateways) expect(await gateway.stop()).toBe(0);
    };
    await drill({ name: '2 gateways', urls, apiKey, api, stop, folder: folder.path });
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
});
