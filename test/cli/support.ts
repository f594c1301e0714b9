import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes away with its test. */
export async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'burnish-cli-'));
  return {
    path,
    async file(name: string, bytes: Buffer | string = Buffer.alloc(25_000, 1)): Promise<string> {
      const file = join(path, name);
      await writeFile(file, bytes);
      return file;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** An output that keeps what is written to it. */
export function recorder(isTTY = false) {
  let text = '';
  return { isTTY, write: (more: string) => ((text += more), true), text: () => text };
}
