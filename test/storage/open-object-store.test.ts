import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openObjectStore } from '../../src/storage/open-object-store.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { chunks } from './bodies.ts';

const opened = (storage: string): Promise<ObjectStore> =>
  openObjectStore({ storage, s3: { publicUrl: null, pathStyle: null }, scratchDir: '/nowhere', environment: {} });
const MAX = { maxBytes: 1_000_000 };

describe('openObjectStore', () => {
  it('opens file: paths, absolute and relative', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'burnish-open-'));
    try {
      for (const setting of [`file:${folder}/a`, `file://${folder}/b`, `FILE:${folder}/c`]) {
        await (await opened(setting)).put('a/b', chunks('x'), MAX);
      }
      expect((await readdir(folder)).sort()).toEqual(['a', 'b', 'c']);
      const here = process.cwd();
      process.chdir(folder);
      await opened('file:./relative').finally(() => process.chdir(here));
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
    ['s3:', /without a bucket/],
    ['s3://key:secret@bucket/x', /without a bucket/],
    ['s3://UPPER/secret', /without a bucket/],
    ['s3://bucket/secret/../up', /plain prefix/],
    ['s3://bucket/x?secret=1', /plain prefix/],
  ])('refuses %j in one sentence without secrets', async (setting, message) => {
    const opening = opened(setting);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});
