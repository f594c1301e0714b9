import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Burnish } from '@burnish/client';
import { paddedPdf } from '../e2e/files.ts';
import { startInstance } from '../e2e/instance.ts';
import { cuttingProxy, type CuttingProxy } from '../support/cutting-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const BYTES = 1_000_000_000;
const CUTS = 10;

/** Peak memory of a process in MB (Linux). */
const peakMb = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1000;

test('the largest PDF arrives whole over ten cuts, with little more than its bytes', async () => {
  await using folder = await temporaryFolder();
  await using instance = await startInstance();
  const port = (): number => instance.ports.gateway;
  await using whole = await cuttingProxy({ port, cutAfter: () => undefined });
  await using cutting: CuttingProxy = await cuttingProxy({
    port,
    cutAfter: () => (cutting.cuts < CUTS ? 45_000_000 : undefined),
  });
  const path = join(folder.path, 'largest.pdf');
  const bytes = await paddedPdf(BYTES);
  await writeFile(path, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  /** @returns seconds until the last byte is acknowledged, and seconds until the analysis ends */
  async function send(proxy: CuttingProxy): Promise<{ sent: number; analyzed: number }> {
    const client = new Burnish({ baseUrl: proxy.url, apiKey: instance.apiKey });
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

  const quiet = await send(whole);
  const cut = await send(cutting);
  expect(cutting.cuts).toBe(CUTS);
  expect(cutting.received).toBeLessThan(BYTES * 1.01);
  const figures = {
    secondsWithoutCuts: quiet,
    secondsWithCuts: cut,
    cuts: cutting.cuts,
    bytesPassedByBytesOfTheFile: cutting.received / BYTES,
    peakMbOfTheInstance: await peakMb(instance.pid),
  };
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
}, 600_000);
