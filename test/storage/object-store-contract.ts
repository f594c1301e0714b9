import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { expectNamed } from '../support/expect-named.ts';
import { chunks, readAll, sha256 } from './bodies.ts';
import { putContract } from './object-store-put-contract.ts';

const MAX = { maxBytes: 1_000_000 };
const NO_KEYS = [
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/../b',
  '../a',
  'a/..',
  'a/./b',
  'a\0b',
  'a\\b',
  'A/b',
  'a/b.facts',
  'a b',
  '-a',
  'é',
  'a/%2e%2e/b',
  'x'.repeat(101),
  Array(9).fill('a').join('/'),
  Array(5).fill('x'.repeat(90)).join('/'),
  'a\n',
];

/** What every store must do, whatever stands behind it. `create` opens a fresh, empty one. */
export function objectStoreContract(
  name: string,
  create: () => Promise<{ store: ObjectStore; close: () => Promise<void> }>,
): void {
  describe(`object store: ${name}`, () => {
    let store: ObjectStore;
    let close: () => Promise<void>;
    let scratch: string;
    beforeEach(async () => {
      ({ store, close } = await create());
      scratch = await mkdtemp(join(tmpdir(), 'burnish-contract-'));
    });
    afterEach(async () => {
      await close();
      await rm(scratch, { recursive: true });
    });

    const text = async (key: string): Promise<string> => (await readAll(await store.get(key))).toString();

    putContract(() => store);

    it.each([
      ['0', '9', { start: 0, end: 9 }, '0123456789'],
      ['3', '3', { start: 3, end: 3 }, '3'],
      ['4', 'beyond the end', { start: 4, end: 1000 }, '456789'],
    ])('returns the range from %s to %s', async (_, __, range, expected) => {
      await store.put('a/digits', chunks('01234', '56789'), MAX);
      expect((await readAll(await store.get('a/digits', range))).toString()).toBe(expected);
    });

    it.each([
      { start: 10, end: 12 },
      { start: 5, end: 4 },
      { start: -1, end: 4 },
      { start: Number.NaN, end: 4 },
    ])('refuses range %o', async (range) => {
      await store.put('a/digits', chunks('0123456789'), MAX);
      await expect(store.get('a/digits', range)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    });

    it('reports a missing object', async () => {
      expect(await store.head('a/none')).toBeUndefined();
      await expect(store.get('a/none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(store.copy('a/none', 'a/b')).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(store.withLocalFile('a/none', async () => 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('moves a local file into the store', async () => {
      const path = join(scratch, 'finished');
      await writeFile(path, 'made by the engine');
      const stored = await store.putFile('a/b/result', path);
      expect(stored).toMatchObject({ size: 18, sha256: sha256(Buffer.from('made by the engine')) });
      expect(await store.head('a/b/result')).toEqual(stored);
      expect(await text('a/b/result')).toBe('made by the engine');
      await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('copies an object independently of its source', async () => {
      const source = await store.put('a/one', chunks('shared'), MAX);
      expect(await store.copy('a/one', 'b/two')).toEqual({ ...source, key: 'b/two' });
      expect(await store.copy('a/one', 'b/two')).toEqual({ ...source, key: 'b/two' });
      await store.put('a/one', chunks('changed'), MAX);
      expect(await text('b/two')).toBe('shared');
      await store.delete('a/one');
      expect(await store.head('b/two')).toEqual({ ...source, key: 'b/two' });
    });

    it('hands out the expected bytes, and no others', async () => {
      const { size, sha256: right } = await store.put('a/one', chunks('the right', ' bytes'), MAX);
      const other = await store.put('a/other', chunks('the wrong', ' bytes'), MAX);
      const [good, bad] = [{ size, sha256: right }, other];
      expect((await readAll(await store.get('a/one', undefined, good))).toString()).toBe('the right bytes');
      expect((await readAll(await store.get('a/one', { start: 4, end: 8 }, good))).toString()).toBe('right');
      expect(await store.withLocalFile('a/one', (path) => readFile(path, 'utf8'), good)).toBe('the right bytes');
      expect(await store.copy('a/one', 'b/good', { expected: good })).toEqual({ ...good, key: 'b/good' });

      const damaged = { name: 'ObjectDamaged', key: 'a/one', found: good };
      await expect(store.get('a/one', undefined, bad).then(readAll)).rejects.toMatchObject(damaged);
      const used = store.withLocalFile('a/one', () => Promise.resolve('used'), bad);
      await expect(used).rejects.toMatchObject(damaged);
      await expect(store.copy('a/one', 'b/bad', { expected: bad })).rejects.toMatchObject(damaged);
      expect(await store.head('b/bad')).toBeUndefined();
      const none = store.withLocalFile('a/none', () => Promise.resolve('used'), bad);
      await expect(none).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('copies over an existing object', async () => {
      await store.put('a/one', chunks('one'), MAX);
      await store.put('a/two', chunks('the second'), MAX);
      const copy = await store.copy('a/one', 'a/two');
      expect(await text('a/two')).toBe('one');
      expect(await store.head('a/two')).toEqual(copy);
    });

    it('deletes an object any number of times', async () => {
      await store.put('a/b', chunks('x'), MAX);
      await store.delete('a/b');
      await store.delete('a/b');
      expect(await store.head('a/b')).toBeUndefined();
      await store.put('a/b', chunks('again'), MAX);
      expect(await text('a/b')).toBe('again');
    });

    it('deletes all objects under a prefix and no other', async () => {
      for (const key of ['a/u/original', 'a/u/enh_1', 'a/u/enh_1/span', 'a/u2/original', 'a/u']) {
        await store.put(key, chunks(key), MAX);
      }
      await store.deletePrefix('a/u');
      await store.deletePrefix('a/u');
      await store.deletePrefix('never');
      for (const key of ['a/u/original', 'a/u/enh_1', 'a/u/enh_1/span']) expect(await store.head(key)).toBeUndefined();
      expect(await text('a/u2/original')).toBe('a/u2/original');
      expect(await text('a/u')).toBe('a/u');
    });

    it('computes the hash again during a copy on request', async () => {
      const stored = await store.put('a/b', chunks('bytes'), MAX);
      expect(await store.copy('a/b', 'a/c', { verify: true })).toEqual({ ...stored, key: 'a/c' });
      await expect(store.copy('a/none', 'a/c', { verify: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('has nothing to sweep after complete writes', async () => {
      await store.put('a/b', chunks('bytes'), MAX);
      expect(await store.sweepUnfinished(0)).toBe(0);
      expect(await text('a/b')).toBe('bytes');
    });

    it('lends a local path and passes on the result or the error of the function', async () => {
      await store.put('a/b', chunks('bytes'), MAX);
      expect(await store.withLocalFile('a/b', (path) => readFile(path, 'utf8'))).toBe('bytes');
      const fault = new Error('engine');
      await expect(store.withLocalFile('a/b', () => Promise.reject(fault))).rejects.toBe(fault);
    });

    it('survives parallel puts and deletes of neighbours', async () => {
      const turns = Array.from({ length: 30 }, async (_, i) => {
        await store.put(`a/u/k${i}`, chunks('x'), MAX);
        await store.delete(`a/u/k${i}`);
      });
      await Promise.all([...turns, store.put('a/u/kept', chunks('kept'), MAX)]);
      expect(await text('a/u/kept')).toBe('kept');
    });

    it('survives puts while their whole prefix is deleted repeatedly', async () => {
      const puts = Array.from({ length: 20 }, (_, i) => store.put(`a/u/k${i}`, chunks('x'), MAX));
      const deletes = Array.from({ length: 20 }, () => store.deletePrefix('a'));
      await Promise.all([...puts, ...deletes]);
      await store.put('a/u/last', chunks('last'), MAX);
      expect(await text('a/u/last')).toBe('last');
    });

    it('refuses every key that is none, in every method', async () => {
      const refused = /^Expected an object key/;
      const methods: ((key: string) => Promise<unknown>)[] = [
        (key) => store.put(key, chunks('x'), MAX),
        (key) => store.putFile(key, join(scratch, 'none')),
        (key) => store.get(key),
        (key) => store.head(key),
        (key) => store.copy(key, 'a/b'),
        (key) => store.copy('a/b', key),
        (key) => store.delete(key),
        (key) => store.deletePrefix(key),
        (key) => store.withLocalFile(key, async () => 1),
      ];
      for (const key of NO_KEYS)
        for (const method of methods)
          await expectNamed(method(key), `${JSON.stringify(key)}, ${method}`).rejects.toThrow(refused);
    });
  });
}
