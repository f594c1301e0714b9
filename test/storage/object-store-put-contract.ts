import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { chunks, readAll, sha256 } from './bodies.ts';

const MAX = { maxBytes: 1_000_000 };

/** The part of the contract that is about what goes in. `opened` gives the store of the test that runs. */
export function putContract(opened: () => ObjectStore): void {
  describe('put', () => {
    let store: ObjectStore;
    beforeEach(() => {
      store = opened();
    });

    const text = async (key: string): Promise<string> => (await readAll(await store.get(key))).toString();

    it('returns the stored bytes with their size and hash', async () => {
      const stored = await store.put('acc_x/upl_y/original', chunks('one ', 'two ', new Uint8Array(), 'three'), MAX);
      expect(stored).toEqual({
        key: 'acc_x/upl_y/original',
        size: 13,
        sha256: sha256(Buffer.from('one two three')),
      });
      expect(await text('acc_x/upl_y/original')).toBe('one two three');
      expect(await store.head('acc_x/upl_y/original')).toEqual(stored);
    });

    it('stores an empty object', async () => {
      const stored = await store.put('a/empty', chunks(), MAX);
      expect(stored).toMatchObject({ size: 0, sha256: sha256(new Uint8Array()) });
      expect(await text('a/empty')).toBe('');
    });

    it('accepts a body of exactly maxBytes, and refuses one byte more without a trace', async () => {
      await store.put('a/fits', chunks('12345', '67890'), { maxBytes: 10 });
      const tooLong = store.put('a/long', chunks('12345', '67890', '1'), { maxBytes: 10 });
      await expect(tooLong).rejects.toMatchObject({ name: 'Failure', code: 'FILE_TOO_LARGE' });
      expect(await store.head('a/fits')).toMatchObject({ size: 10 });
      expect(await store.head('a/long')).toBeUndefined();
    });

    it('stops reading an endless body soon after maxBytes', async () => {
      let given = 0;
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (;;) {
          given += 1000;
          yield new Uint8Array(1000);
        }
      }
      await expect(store.put('a/endless', endless(), { maxBytes: 100_000 })).rejects.toMatchObject({
        code: 'FILE_TOO_LARGE',
      });
      expect(given).toBeLessThan(1_000_000);
    });

    it('replaces an object as a whole', async () => {
      await store.put('a/b', chunks('the older and longer object'), MAX);
      const newer = await store.put('a/b', chunks('newer'), MAX);
      expect(await text('a/b')).toBe('newer');
      expect(await store.head('a/b')).toEqual(newer);
    });

    it.each([
      ['fails midway', new Error('the sender went away')],
      ['was refused by its source', new TypeError('refused')],
    ])('throws the error of a body that %s, and keeps the older object', async (_, fault) => {
      const older = await store.put('a/b', chunks('older'), MAX);
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('new');
        throw fault;
      }
      await expect(store.put('a/b', failing(), MAX)).rejects.toBe(fault);
      expect(await store.head('a/b')).toEqual(older);
      expect(await text('a/b')).toBe('older');
    });

    it('ends at once when it is aborted, even if the body never answers', async () => {
      const controller = new AbortController();
      async function* hanging(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('first');
        queueMicrotask(() => controller.abort(new Error('cancelled')));
        await new Promise(() => undefined);
      }
      const put = store.put('a/b', hanging(), { ...MAX, signal: controller.signal });
      await expect(put).rejects.toThrow('cancelled');
      expect(await store.head('a/b')).toBeUndefined();
    });

    it('does not begin if its signal is already aborted', async () => {
      const put = store.put('a/b', chunks('x'), { ...MAX, signal: AbortSignal.abort(new Error('too late')) });
      await expect(put).rejects.toThrow('too late');
      expect(await store.head('a/b')).toBeUndefined();
    });

    it('keeps one whole object of many parallel puts under one key', async () => {
      const bodies = Array.from({ length: 8 }, (_, i) => `body ${i} `.repeat(i + 1));
      await Promise.all(bodies.map((body) => store.put('a/b', chunks(body), MAX)));
      const kept = await text('a/b');
      expect(bodies).toContain(kept);
      expect(await store.head('a/b')).toEqual({
        key: 'a/b',
        size: kept.length,
        sha256: sha256(Buffer.from(kept)),
      });
    });
  });
}
