import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { resolvePdfParameters, type EnhancementParameters } from '@burnish/contract';
import { findModels } from '../../packages/engine/src/neural/find-models.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { createCpuReader } from '../lifecycle/processes.ts';
import type { Beside } from './on-pictures.ts';

/** Short work is repeated, because the system counts CPU in steps of 10 ms. */
const MOST_TIMES = 5;
const LEAST_SECONDS = 0.5;
/** Tone alone, since the others enlarge nothing. */
const ORDER: EnhancementParameters = { targetResolution: 72 };

interface Cost {
  /** Seconds of CPU */
  cpu: number;
  /** Size of the result; null for an analysis */
  bytes: number | null;
}

type Work = (input: string, output: string) => Promise<Cost | null>;

/** Compares work on PDFs. @returns a Markdown table of CPU seconds and bytes by file */
export async function compareOnPdfs(files: readonly string[], beside: Beside, scratch: string): Promise<string> {
  if (files.length === 0) throw new Error('The folder of --pdfs has no PDFs.');
  const output = join(scratch, 'output.pdf');
  const sandbox = createSandbox({ concurrency: 1, models: await findModels('fine', console.log), scratchDir: scratch });
  try {
    return await beside(['OCRmyPDF', 'pikepdf loop'], async (peers) => {
      const works: [name: string, work: Work][] = [
        ...ofEngine(sandbox, scratch),
        ...peers.map(({ name, run }): [string, Work] => [name, async (from, to) => toCost(await run(from, to), to)]),
      ];
      // The first runs load code and networks.
      for (const [, work] of works) await work(files[0]!, output);
      const lines = [
        `| file, KB | ${works.map(([name]) => name).join(' | ')} |`,
        `| --- | ${works.map(() => '---').join(' | ')} |`,
      ];
      const sums = works.map(() => ({ cpu: 0, bytes: 0 }));
      let bytesIn = 0;
      for (const file of files) {
        const { size } = await stat(file);
        bytesIn += size;
        const cells: string[] = [];
        for (const [index, [, work]] of works.entries()) {
          const cost = await repeated(work, file, output);
          cells.push(shown(cost));
          sums[index]!.cpu += cost?.cpu ?? 0;
          sums[index]!.bytes += cost?.bytes ?? 0;
        }
        lines.push(`| ${basename(file)}, ${toKilobytes(size)} | ${cells.join(' | ')} |`);
      }
      lines.push(`| all, ${toKilobytes(bytesIn)} | ${sums.map(shown).join(' | ')} |`);
      return `CPU seconds; KB of the result\n\n${lines.join('\n')}`;
    });
  } finally {
    await sandbox.close();
  }
}

/** Analysis, and enhancements that have its facts, as in the service. */
function ofEngine(sandbox: Sandbox, scratch: string): [name: string, work: Work][] {
  const [factsPath, planPath] = [join(scratch, 'facts.json'), join(scratch, 'plan.json')];
  // All children of this process that have this command belong to the engine.
  const read = createCpuReader(process.pid);
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const before = read().engine;
    await work();
    return (read().engine - before) / 1000;
  };
  const analyze: Work = async (inputPath) => ({
    cpu: await timed(() => sandbox.run('analyze-pdf', { inputPath, factsPath }, { account: 'one' })),
    bytes: null,
  });
  const parameters = resolvePdfParameters(ORDER);
  const enhance: Work = async (inputPath, outputPath) => {
    const input = { inputPath, factsPath, planPath, outputPath, parameters, oneGoPixels: Number.MAX_SAFE_INTEGER };
    return toCost(await timed(() => sandbox.run('enhance-or-plan-pdf', input, { account: 'one' })), outputPath);
  };
  return [
    ['analysis', analyze],
    ['enhancement', enhance],
  ];
}

async function toCost(cpu: number | null, path: string): Promise<Cost | null> {
  return cpu === null ? null : { cpu, bytes: (await stat(path)).size };
}

/** The mean of several times; null when it fails. */
async function repeated(work: Work, file: string, output: string): Promise<Cost | null> {
  let [cpu, times]: [number, number] = [0, 0];
  let bytes: number | null = null;
  while (times < MOST_TIMES && cpu < LEAST_SECONDS) {
    await rm(output, { force: true });
    const cost = await work(file, output).catch(() => null);
    if (cost === null) return null;
    cpu += cost.cpu;
    times += 1;
    ({ bytes } = cost);
  }
  return { cpu: cpu / times, bytes };
}

const toKilobytes = (bytes: number): string => (bytes / 1000).toFixed(0);
const shown = (cost: Cost | null): string =>
  cost === null ? 'failed' : `${cost.cpu.toFixed(2)}${cost.bytes ? `; ${toKilobytes(cost.bytes)}` : ''}`;
