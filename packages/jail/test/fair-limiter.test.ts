import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createFairLimiter, type FairLimits, type PermitRequest } from '../src/fair-limiter.ts';
import { createGate } from '../../../test/support/gate.ts';

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const refusal = (): Error => new Error('It is too late.');

/** Work named `<owner><number>` that runs until it is told to end. */
function heldWork(limits: FairLimits) {
  const turns = createFairLimiter(limits);
  const begun: string[] = [];
  const gates = new Map<string, ReturnType<typeof createGate>>();
  const endTurns = new Map<string, () => void>();
  return {
    begun,
    ask(name: string, about: Partial<PermitRequest> = {}): Promise<string> {
      const gate = createGate();
      gates.set(name, gate);
      return turns.run({ owner: name[0]!, refusal, ...about }, async (endTurn) => {
        begun.push(name);
        endTurns.set(name, endTurn);
        await gate.opened;
        return name;
      });
    },
    async end(name: string): Promise<void> {
      gates.get(name)!.open();
      await settle();
    },
    async endTurn(name: string): Promise<void> {
      endTurns.get(name)!();
      await settle();
    },
  };
}

test('owners take turns, whatever the work of one of them, and the work of each begins in order', async () => {
  const { ask, begun, end } = heldWork({ atOnce: 2, ofOwner: 2 });
  const all = Array.from({ length: 200 }, (_, index) => ask(`a${index}`));
  all.push(ask('b0'), ask('b1'), ask('c0'));
  await settle();
  expect(begun).toEqual(['a0', 'a1']);
  await end('a0');
  await end('a1');
  expect(begun.slice(2)).toEqual(['b0', 'c0']);
  await end('b0');
  await end('c0');
  expect(begun.slice(4)).toEqual(['a2', 'b1']);
  await end('b1');
  for (let index = 2; index < 200; index += 1) await end(`a${index}`);
  await Promise.all(all);
  expect(begun.filter((name) => name.startsWith('a'))).toEqual(Array.from({ length: 200 }, (_, index) => `a${index}`));
});

test('an owner has few turns at once, and leaves the rest to others', async () => {
  const { ask, begun, end } = heldWork({ atOnce: 4, ofOwner: 2 });
  const all = ['a0', 'a1', 'a2', 'b0'].map((name) => ask(name));
  await settle();
  expect(begun).toEqual(['a0', 'a1', 'b0']);
  for (const name of ['a0', 'a1', 'a2', 'b0']) await end(name);
  expect(await Promise.all(all)).toEqual(['a0', 'a1', 'a2', 'b0']);
});

test('work that is too late, or one too many of its owner, is refused and never runs', async () => {
  const { ask, begun, end } = heldWork({ atOnce: 1, ofOwner: 1, waitingOfOwner: 2 });
  const first = ask('a0');
  const late = expect(ask('a1', { waitMs: 20 })).rejects.toThrow('It is too late.');
  const patient = ask('a2');
  await expect(ask('a3')).rejects.toThrow('It is too late.');
  // The queue of one owner takes no place of another.
  const other = ask('b0', { waitMs: 5_000 });
  await pause(40);
  await late;
  await end('a0');
  await end('b0');
  await end('a2');
  expect(await Promise.all([first, other, patient])).toEqual(['a0', 'b0', 'a2']);
  expect(begun).toEqual(['a0', 'b0', 'a2']);
});

test('where no work may wait, it begins at once or is refused, by owner', async () => {
  const { ask, begun, end } = heldWork({ atOnce: Infinity, ofOwner: 2, waitingOfOwner: 0 });
  const all = ['a0', 'a1', 'b0'].map((name) => ask(name));
  await expect(ask('a2')).rejects.toThrow('It is too late.');
  await end('a0');
  all.push(ask('a3'));
  await settle();
  expect(begun).toEqual(['a0', 'a1', 'b0', 'a3']);
  for (const name of ['a1', 'a3', 'b0']) await end(name);
  expect(await Promise.all(all)).toEqual(['a0', 'a1', 'b0', 'a3']);
});

test('work of a busy subject lets later work of its owner pass, also after the end of its turn', async () => {
  const { ask, begun, end, endTurn } = heldWork({ atOnce: 2, ofOwner: 2, ofSubject: 1 });
  const all = [ask('a0', { subject: 'x' }), ask('a1', { subject: 'x' }), ask('a2', { subject: 'y' })];
  await settle();
  expect(begun).toEqual(['a0', 'a2']);
  all.push(ask('a3', { subject: 'z' }));
  await endTurn('a0');
  expect(begun).toEqual(['a0', 'a2', 'a3']);
  await end('a3');
  expect(begun).not.toContain('a1');
  await end('a0');
  expect(begun).toContain('a1');
  await Promise.all([end('a1'), end('a2')]);
  await Promise.all(all);
});

test('work that fails gives its turn back', async () => {
  const turns = createFairLimiter({ atOnce: 1, ofOwner: 1, ofSubject: 1 });
  const turn = { owner: 'a', subject: 'x', refusal };
  await expect(turns.run(turn, () => Promise.reject(new Error('It failed.')))).rejects.toThrow('It failed.');
  expect(await turns.run(turn, async () => 'done')).toBe('done');
});

test('a wait ends with its signal, and the work never runs', async () => {
  const { ask, begun, end } = heldWork({ atOnce: 1 });
  const first = ask('a0');
  const ending = new AbortController();
  const impatient = expect(ask('b0', { signal: ending.signal })).rejects.toThrow('Enough.');
  const patient = ask('b1', { signal: new AbortController().signal });
  ending.abort(new Error('Enough.'));
  await impatient;
  await expect(ask('c0', { signal: ending.signal })).rejects.toThrow('Enough.');
  await end('a0');
  await end('b1');
  expect(await Promise.all([first, patient])).toEqual(['a0', 'b1']);
  expect(begun).toEqual(['a0', 'b1']);
});

test('where much work of all owners waits, an owner without any may have one piece', async () => {
  const { ask, begun, end } = heldWork({ atOnce: 1, inAll: 2 });
  const all = [ask('a0'), ask('a1'), ask('b0')];
  await expect(ask('a2')).rejects.toThrow('It is too late.');
  await expect(ask('b1')).rejects.toThrow('It is too late.');
  await end('a0');
  await end('b0');
  all.push(ask('a3'));
  await end('a1');
  await end('a3');
  expect(await Promise.all(all)).toEqual(['a0', 'a1', 'b0', 'a3']);
  expect(begun).toEqual(['a0', 'b0', 'a1', 'a3']);
});
