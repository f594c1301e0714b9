import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openKeyRing } from '../../src/runtime/instance-keys.ts';
import { newKey } from '../../src/secrets/key-ring.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const text = (key: Buffer): string => key.toString('base64');

test('the first start creates a key that only the owner can read, and later starts use it', async () => {
  await using folder = await temporaryFolder();
  const rings = await Promise.all(Array.from({ length: 8 }, () => openKeyRing(folder.path, null)));
  expect(new Set(rings.map(({ keyIds }) => keyIds[0])).size).toBe(1);
  expect(await readdir(folder.path)).toEqual(['encryption.key']);
  expect((await stat(join(folder.path, 'encryption.key'))).mode & 0o777).toBe(0o600);
  expect((await openKeyRing(folder.path, null)).keyIds).toEqual(rings[0]!.keyIds);
});

test('the first key of BURNISH_ENCRYPTION_KEY encrypts, and the others and those of the file decrypt', async () => {
  await using folder = await temporaryFolder();
  const [inFile, old, present] = [newKey(), newKey(), newKey()];
  await writeFile(join(folder.path, 'encryption.key'), `${text(inFile)}\n`);
  const sealedWith = async (keys: string | null) => {
    const sealer = (await openKeyRing(folder.path, keys)).sealer('payloads');
    return [sealer.keyId, sealer.seal(Buffer.from('text'), 'place')] as const;
  };
  const sealed = await Promise.all([null, text(old), text(present)].map(sealedWith));
  const ring = await openKeyRing(folder.path, [present, old].map(text).join(','));
  expect(sealed.map(([id, bytes]) => ring.sealer('payloads').open(id, bytes, 'place')?.toString())).toEqual([
    'text',
    'text',
    'text',
  ]);
  expect(ring.keyIds[0]).toBe(sealed[2]![0]);
});

test('a damaged key file ends the start and is not changed', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'encryption.key');
  await writeFile(path, 'half a ke');
  await expect(openKeyRing(folder.path, null)).rejects.toThrow('Restore the file from a backup');
  expect(await readFile(path, 'utf8')).toBe('half a ke');
});
