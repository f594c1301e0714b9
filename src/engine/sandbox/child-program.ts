import { fileURLToPath } from 'node:url';

/** What Node.js runs in a child. */
export interface ChildProgram {
  /** The program, and the list of the engine's tasks: the sources where this module is one, or their bundles of the build */
  entry: URL;
  tasks: URL;
  /** Whether a thread of the child strips types */
  stripsTypes: boolean;
  /** Arguments of Node.js */
  flags: readonly string[];
  /** What the arguments name, and what the program reads beside the engine */
  files: readonly string[];
}

export const childProgram: ChildProgram = import.meta.url.endsWith('.ts')
  ? sources()
  : {
      entry: new URL('../child/sandbox-child.cjs', import.meta.url),
      tasks: new URL('../child/tasks.cjs', import.meta.url),
      stripsTypes: false,
      flags: [],
      files: [],
    };

/** Uses a compiler without further processes, because a jail allows none. It is part of the bundler of the development packages. */
function sources(): ChildProgram {
  const loader = new URL('../../../scripts/strip-types.mjs', import.meta.url);
  return {
    entry: new URL('./sandbox-child.ts', import.meta.url),
    tasks: new URL('../tasks.ts', import.meta.url),
    stripsTypes: true,
    flags: ['--import', loader.href],
    files: [fileURLToPath(loader), fileURLToPath(new URL('../../../packages/pdf/src', import.meta.url))],
  };
}
