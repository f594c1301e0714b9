import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Burnish } from '../../src/client/burnish.ts';
import { paddedPdf } from '../e2e/files.ts';
import { startInstance } from '../e2e/instance.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BYTES = 1_000_000_000;
const CUTS = 10;

/** Peak memory of a process in MB (Linux). */
const peakMb = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;

test('the largest PDF arrives whole over ten cuts, with little more than its bytes', async () => {
  await using folder = await temporaryFolder();
  await using instance = await startInstance();
  let connections = 0;
  let cutEvery: number | undefined;
  await using proxy = await cuttingProxy({
    port: () => instance.ports.gateway,
    cutAfter: () => ((connections += 1) <= CUTS ? cutEvery : undefined),
  });
  const path = join(folder.path, 'largest.pdf');
  const bytes = await paddedPdf(BYTES);
  await writeFile(path, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const client = new Burnish({ baseUrl: proxy.url, apiKey: instance.apiKey });

  /** @returns seconds until the last byte is acknowledged, and seconds until the analysis ends */
  async function send(): Promise<{ sent: number; analyzed: number }> {
    const begun = performance.now();
    const { id } = await client.uploads.create(path);
    const sent = performance.now();
    const upload = await instance.api.settled(id);
    const analyzed = performance.now();
    expect(upload).toMatchObject({ filesize: BYTES, subStatus: 'METADATA_ANALYZED_SUCCESSFULLY' });
    const hash = createHash('sha256');
    for await (const chunk of (await fetch(upload.url!)).body!) hash.update(chunk);
    expect(hash.digest('hex')).toBe(sha256);
    await client.uploads.delete(id);
    return { sent: (sent - begun) / 1000, analyzed: (analyzed - begun) / 1000 };
  }

  connections = CUTS;
  const quiet = await send();
  const before = proxy.received;
  [connections, cutEvery] = [0, 90_000_000];
  const cut = await send();
  const passed = proxy.received - before;
  expect(proxy.cuts).toBe(CUTS);
  expect(passed).toBeLessThan(BYTES * 1.01);
  const figures = {
    secondsWithoutCuts: quiet,
    secondsWithCuts: cut,
    cuts: proxy.cuts,
    bytesPassedByBytesOfTheFile: passed / BYTES,
    peakMbOfTheInstance: await peakMb(instance.pid),
  };
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
}, 600_000);
