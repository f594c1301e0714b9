// A command that never finishes its file. It ends by signals, or stops at the first one with `--handles`, as `burnish enhance` does.
import { writeFile } from 'node:fs/promises';
import { saveFile } from '../../src/cli/save-file.ts';
import { listenForInterrupt } from '../../src/cli/enhance/enhance-interrupt.ts';

if (process.argv.includes('--handles')) listenForInterrupt(() => process.stdout.write('handled\n'));
const idle = setInterval(() => undefined, 1_000);
await saveFile(process.argv[2]!, 'refuse', async (temporary) => {
  await writeFile(temporary, 'the first half');
  process.stdout.write('writing\n');
  await new Promise(() => undefined);
});
clearInterval(idle);
