import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startWholeCluster } from '../cluster/cluster.ts';
import { startInstance } from '../e2e/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectSoundBurst, figures, reasons, servedAnswers, servedFigures } from './burst/answers.ts';
import { burst, startScript, told } from './burst/flood.ts';

const COUNT = 3_000;
const API_KEY = 'key-of-nobody-at-all';

/** Settings of a process that measures its answers. */
const measured = (folder: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('burst/answer-times.mjs', import.meta.url))}`,
  ANSWER_TIMES: folder,
});

/** What the machine and its callers need by themselves: as many servers that only refuse. */
async function yardstick(servers: number): Promise<void> {
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
}

test.skipIf(process.env['SKIP1'])(
  'of 3,000 uploads at once at one instance each is accepted or refused within 15 seconds, and what was accepted finishes',
  async () => {
    await yardstick(1);
    await using folder = await temporaryFolder();
    await using instance = await startInstance({ env: measured(folder.path) });
    const flood = await burst([instance.url], instance.apiKey, COUNT);
    const end = await expectSoundBurst(instance.api, flood.answers);
    expect(await instance.stop()).toBe(0);
    const served = await servedAnswers(folder.path);
    console.log(`1 instance: ${figures(flood)}\n  ${servedFigures(served, flood.startedAt)}\n  ${end}`);
  },
);

test('of 3,000 uploads at once at two gateways each is accepted or refused within 15 seconds, and what was accepted finishes', async () => {
  await yardstick(2);
  await using folder = await temporaryFolder();
  const { cluster, gateways } = await startWholeCluster({ env: measured(folder.path) });
  try {
    const flood = await burst(
      gateways.map(({ url }) => url),
      cluster.apiKey,
      COUNT,
    );
    console.log(figures(flood), reasons(flood.answers));
    const end = await expectSoundBurst(cluster.api, flood.answers);
    for (const gateway of gateways) expect(await gateway.stop()).toBe(0);
    const served = await servedAnswers(folder.path);
    console.log(`2 gateways: ${figures(flood)}\n  ${servedFigures(served, flood.startedAt)}\n  ${end}`);
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
});
