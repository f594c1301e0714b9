import { fileURLToPath } from 'node:url';
import { createChildProgram, createJailPool, findJail, type JailPool, type JailPoolOptions } from '@burnish/jail';

export const loader = new URL('../../../scripts/strip-types.mjs', import.meta.url);
const modules = new URL('../../../node_modules', import.meta.url);

/** The program of children from its sources. A thread of it strips types. */
export const program = createChildProgram({
  tasks: new URL('faulty-tasks.mjs', import.meta.url),
  entry: new URL('../src/jail-child.ts', import.meta.url),
  flags: ['--import', loader.href],
  files: [loader, modules].map((url) => fileURLToPath(url)),
  mayChange: true,
});

export type TestPool = JailPool & AsyncDisposable;

// Node.js' permission model does not apply to threads.
const jail = findJail('auto', { permissions: false });

/** A pool of one child with the faulty tasks. */
export function faultyPool(options: Partial<JailPoolOptions> = {}): TestPool {
  const pool = createJailPool({ program, jail, concurrency: 1, ...options });
  return { ...pool, [Symbol.asyncDispose]: () => pool.close() };
}
