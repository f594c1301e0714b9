import { fileURLToPath } from 'node:url';
import { createChildProgram, type ChildProgram } from '@burnish/jail';

/** What Node.js runs in a child of the engine. */
export interface EngineProgram extends ChildProgram {
  /** Whether a thread of the child strips types */
  hasThreads: boolean;
}

/** The sources where this module is one, or their bundles of the build. */
export const childProgram: EngineProgram = import.meta.url.endsWith('.ts') ? sources() : bundles();

function bundles(): EngineProgram {
  const entry = new URL('../engine/child/jail-child.cjs', import.meta.url);
  const tasks = new URL('../engine/child/tasks.cjs', import.meta.url);
  return { ...createChildProgram({ entry, tasks }), hasThreads: false };
}

/** Uses a compiler without further processes, because a jail allows none. It is part of the bundler of the development packages. */
function sources(): EngineProgram {
  const loader = new URL('../../scripts/strip-types.mjs', import.meta.url);
  const packages = new URL('../../packages/', import.meta.url);
  const program = createChildProgram({
    entry: new URL('jail/src/jail-child.ts', packages),
    tasks: new URL('../engine/tasks.ts', import.meta.url),
    flags: ['--import', loader.href],
    files: [loader, new URL('pdf/src', packages)].map((url) => fileURLToPath(url)),
    mayChange: true,
  });
  return { ...program, hasThreads: true };
}
