import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER } from '@burnish/engine/host';
import { createChildProgram, type ChildProgram } from '@burnish/jail';

/** What Node.js runs in a child of the engine. */
export interface EngineProgram extends ChildProgram {
  /** Whether a thread of the child strips types */
  hasThreads: boolean;
}

/** The sources where this module is one, or their bundles of the build. */
export const childProgram: EngineProgram = import.meta.url.endsWith('.ts') ? sources() : bundles();

function bundles(): EngineProgram {
  const [entry, tasks] = ['child/jail-child.cjs', 'child/tasks.cjs'].map((name) => new URL(name, PACKAGE_FOLDER));
  return { ...createChildProgram({ entry: entry!, tasks: tasks! }), hasThreads: false };
}

/** Uses a compiler without further processes, because a jail allows none. It is part of the bundler of the development packages. */
function sources(): EngineProgram {
  const loader = new URL('../../scripts/strip-types.mjs', import.meta.url);
  const packages = new URL('..', PACKAGE_FOLDER);
  const program = createChildProgram({
    entry: new URL('jail/src/jail-child.ts', packages),
    tasks: new URL('src/tasks.ts', PACKAGE_FOLDER),
    flags: ['--import', loader.href],
    files: [loader, ...['contract/src', 'pdf/src'].map((name) => new URL(name, packages))].map((url) =>
      fileURLToPath(url),
    ),
    mayChange: true,
  });
  return { ...program, hasThreads: true };
}
