/**
 * Makes a value once for all test files of a process, such as a server. Modules of test/ cannot hold it, because each test file
 * has modules of its own there.
 * @param name unique among these values
 */
export function onceAProcess<T>(name: string, make: () => T): T {
  const values = ((globalThis as Record<symbol, unknown>)[KEY] ??= new Map()) as Map<string, T>;
  const known = values.get(name) ?? make();
  values.set(name, known);
  return known;
}

const KEY = Symbol.for('burnish.once-a-process');
