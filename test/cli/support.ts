import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder that is removed after its test. */
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

/** An output stream that records its content. */
export function recorder(isTTY = false) {
  let text = '';
  return { isTTY, write: (more: string) => ((text += more), true), text: () => text };
}
