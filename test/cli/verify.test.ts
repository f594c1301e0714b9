import { Command } from 'commander';
import { describe, expect, test } from '@jest/globals';
import { addVerifyCommand, type VerifyOptions } from '../../src/cli/verify/verify-command.ts';
import { verify } from '../../src/cli/verify/verify.ts';
import { asSharp, enhance, fileWriter, scratchFolder } from '../../packages/engine/test/support/files.ts';
import { decoders } from '../support/decoders.ts';
import { syntheticPhotograph } from '../../packages/engine/test/support/photograph.ts';

const file = fileWriter(await scratchFolder());
const original = await file('original.png', asSharp(syntheticPhotograph(120, 90)).png());

describe('burnish verify', () => {
  test('says that a strictly faithful result equals its original', async () => {
    const { path: result } = await enhance(original, { upscalingFactor: 'X2', fidelity: 'STRICT' });
    expect(await verify({ original, result, minPsnr: 45 })).toEqual({
      lines: ['Reduced again, the result equals the original.'],
      faithful: true,
    });
  });

  test('says by how much another result differs, and compares it with the required PSNR', async () => {
    const { path: result } = await enhance(original, { upscalingFactor: 'X2' });
    const { lines, faithful } = await verify({ original, result, minPsnr: 80 });
    expect(lines).toEqual([
      expect.stringMatching(/differs from the original by at most \S+ of 255 levels .*at least 80 dB/),
    ]);
    expect(faithful).toBe(false);
    const json = await verify({ original, result, minPsnr: 10, json: true });
    expect(JSON.parse(json.lines.join(''))).toEqual({
      psnr: expect.any(Number),
      maxDifference: expect.any(Number),
      faithful: true,
    });
  });

  test('decodes both files in the sandbox, which ends with it', async () => {
    const before = decoders(process.pid);
    const seen = new Set<number>();
    const look = setInterval(() => decoders(process.pid).forEach((pid) => seen.add(pid)), 10);
    await verify({ original, result: original, minPsnr: 45 });
    clearInterval(look);
    expect([...seen].filter((pid) => !before.includes(pid))).not.toEqual([]);
    expect(decoders(process.pid)).toEqual(before);
  });

  test('names a file that cannot be read', async () => {
    const call = verify({ original, result: 'missing.png', minPsnr: 45 });
    await expect(call).rejects.toThrow('missing.png: There is no such file. Check its path.');
  });

  test('requires 45 dB by default, and refuses another text than a number', async () => {
    const seen: VerifyOptions[] = [];
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    addVerifyCommand(program, async (options) => void seen.push(options)).exitOverride();
    await program.parseAsync(['node', 'burnish', 'verify', 'a.png', 'b.png']);
    expect(seen).toEqual([{ original: 'a.png', result: 'b.png', minPsnr: 45 }]);
    const wrong = program.parseAsync(['node', 'burnish', 'verify', 'a', 'b', '--min-psnr', 'many']);
    await expect(wrong).rejects.toThrow(/Expected a number of decibels/);
  });
});
