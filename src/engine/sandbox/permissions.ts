import type { View } from './view.ts';

/**
 * Node.js' own permission model: JavaScript in the child reads what is in view, writes to its outbox, and starts no program.
 * It does not bind native code. Threads are not bound by it either, so a child that needs one for itself is not held by it.
 * @returns the flags, or undefined where this Node.js has no such model that lets addons load
 */
export function permissionFlags({ readable, inbox, outbox }: View): string[] | undefined {
  const has = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag);
  const model = ['--permission', '--experimental-permission'].find(has);
  if (model === undefined || !has('--allow-addons')) return undefined;
  const reads = [...readable, inbox, outbox].map((path) => `--allow-fs-read=${path}`);
  return [model, '--allow-addons', '--no-warnings', ...reads, `--allow-fs-write=${outbox}`];
}
