import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a folder durable: its entries and, when `deep`, every file and folder below it. */
export async function syncTree(folder: string, { deep = true } = {}): Promise<void> {
  if (deep) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await syncTree(path);
      else if (entry.isFile()) await syncPath(path);
    }
  }
  await syncPath(folder);
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
