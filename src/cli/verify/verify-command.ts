import { InvalidArgumentError, type Command } from 'commander';

/** PSNR of a faithful result, dB. `fidelity: STRICT` reaches it in PNG, TIFF and JPEG. */
const FAITHFUL_PSNR = 45;

export interface VerifyOptions {
  original: string;
  result: string;
  /** dB */
  minPsnr: number;
  json?: boolean;
}

export function addVerifyCommand(program: Command, run: (options: VerifyOptions) => Promise<void>): Command {
  return program
    .command('verify')
    .description('reduce an enlarged result again, and compare it with its original; exit code 1 if they differ')
    .argument('<original>', 'path of the original image')
    .argument('<result>', 'path of its enlarged result')
    .option('--min-psnr <dB>', 'PSNR that the result must reach', decibels, FAITHFUL_PSNR)
    .option('--json', 'print JSON')
    .action((original: string, result: string, options: Omit<VerifyOptions, 'original' | 'result'>) =>
      run({ ...options, original, result }),
    );
}

function decibels(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('Expected a number of decibels from 0.');
  return value;
}
