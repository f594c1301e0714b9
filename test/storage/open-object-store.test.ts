import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openObjectStore } from '../../src/storage/open-object-store.ts';
import { chunks } from './bodies.ts';

const MAX = { maxBytes: 1_000_000 };

describe('openObjectStore', () => {
  it('opens file: paths, absolute and relative', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'burnish-open-'));
    try {
      for (const setting of [`file:${folder}/a`, `file://${folder}/b`, `FILE:${folder}/c`]) {
        await (await openObjectStore(setting)).put('a/b', chunks('x'), MAX);
      }
      expect((await readdir(folder)).sort()).toEqual(['a', 'b', 'c']);
      const here = process.cwd();
      process.chdir(folder);
      await openObjectStore('file:./relative').finally(() => process.chdir(here));
      expect(await readdir(folder)).toContain('relative');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    ['gopher://key:secret@host/bucket', /scheme gopher:/],
    ['./objects', /without a scheme/],
    ['', /without a scheme/],
    ['file:', /without a local path/],
    ['file://server/share', /without a local path/],
  ])('refuses %j in one sentence that holds no secret', async (setting, message) => {
    const opening = openObjectStore(setting);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});
