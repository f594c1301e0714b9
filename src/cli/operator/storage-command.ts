import { InvalidArgumentError, type Command } from 'commander';
import { counted } from '@burnish/contract';
import type { StorageProblem } from '../../api/operator/storage-check.ts';
import type { Run } from './answer.ts';

interface Options {
  rate: number;
  after?: string;
  json?: true;
}

const MEGABYTE = 1_000_000;

/**
 * Adds `burnish storage`.
 * @param output `print` prints each problem at once; `fail` makes the exit code 1
 */
export function addStorageCommand(
  program: Command,
  run: Run,
  { print, fail }: { print: (lines: string[]) => void; fail: () => void },
): void {
  program
    .command('storage')
    .description('storage of originals and results')
    .command('check')
    .description(
      'read every original and result, and compare it with its record; exit code 1: some are damaged or missing',
    )
    .option('--rate <MB>', 'megabytes read in a second', megabytes, 50)
    .option('--after <upload>', 'id of an upload: check only later ones')
    .option('--json', 'print JSON lines')
    .action(({ rate, after, json }: Options) =>
      run(async (commands) => {
        const total = { files: 0, bytes: 0, damaged: 0, missing: 0, unreadable: 0 };
        for (let next: string | null = after === undefined ? '' : `${after}/~`; next !== null;) {
          const order = { ...(next !== '' && { after: next }), bytesPerSecond: rate * MEGABYTE };
          const step = await commands.checkStorage(order);
          total.files += step.files;
          total.bytes += step.bytes;
          for (const { problem } of step.problems) total[problem] += 1;
          print(step.problems.map((each) => (json ? JSON.stringify(each) : problemLine(each))));
          ({ next } = step);
        }
        const { files, bytes, ...problems } = total;
        if (Object.values(problems).some((count) => count > 0)) fail();
        if (json) return [JSON.stringify(total)];
        const { damaged, missing, unreadable } = problems;
        return [
          `Read ${counted(files, 'file')}, ${counted(bytes, 'byte')}: ${damaged} damaged, ${missing} missing, ${unreadable} unreadable.`,
        ];
      }),
    );
}

function problemLine({ problem, accountId, uploadId, enhancementId, objectKey, size }: StorageProblem): string {
  const record = enhancementId === null ? `original of ${uploadId}` : `result ${enhancementId} of ${uploadId}`;
  return `${problem.padEnd(10)}  ${record}  account ${accountId}  ${counted(size, 'byte')}  object ${objectKey}`;
}

function megabytes(text: string): number {
  const rate = Number(text);
  if (!(rate > 0 && rate <= 100_000)) throw new InvalidArgumentError('Expected a number above 0, such as 50.');
  return rate;
}
