import { resolve } from 'node:path';
import type { Fidelity } from '@burnish/contract';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { CommandError } from '../command-error.ts';
import { inspectInput } from '../enhance/enhance-input.ts';
import type { VerifyOptions } from './verify-command.ts';

/**
 * Compares an original with its enlarged result, reduced again. Both are decoded in the sandbox.
 * @returns the lines to print, and whether the result is faithful
 * @throws CommandError for a file that cannot be read; Failure for files that cannot be compared
 */
export async function verify(options: VerifyOptions): Promise<{ lines: string[]; faithful: boolean }> {
  const { original, result, minPsnr, json = false } = options;
  const { psnr, maxDifference } = await measure(original, result);
  const faithful = psnr === null || psnr >= minPsnr;
  if (json) return { lines: [JSON.stringify({ psnr, maxDifference, faithful })], faithful };
  const difference =
    psnr === null ? 'equals the original' : `differs from the original by at most ${maxDifference} of 255 levels`;
  const measured = psnr === null ? '' : ` (PSNR ${psnr} dB; at least ${minPsnr} dB are required)`;
  return { lines: [`Reduced again, the result ${difference}${measured}.`], faithful };
}

async function measure(original: string, result: string): Promise<Fidelity> {
  for (const path of [original, result]) {
    const problem = await inspectInput(path);
    if (typeof problem === 'string') throw new CommandError(`${path}: ${problem}`);
  }
  const sandbox = createSandbox({ concurrency: 1 });
  try {
    const [originalPath, resultPath] = [resolve(original), resolve(result)];
    return await sandbox.run('verify-image', { originalPath, resultPath }, { account: 'command line' });
  } finally {
    await sandbox.close();
  }
}
