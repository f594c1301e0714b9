import { readFileSync } from 'node:fs';
import { JailError } from '../jail-error.ts';

/** What Node.js runs in a child. */
export interface ChildProgram {
  /** The program: this package's own, or a bundle of it */
  entry: URL;
  /** The module with the tasks */
  tasks: URL;
  /** Arguments of Node.js */
  flags: readonly string[];
  /** Paths that the program reads beside the folders of `entry` and `tasks` */
  files: readonly string[];
  /**
   * Refuses a child whose program has changed since this object was made, as by an update: it could miss a part, or give another
   * result than that of the version on the record.
   * @throws JailError PROGRAM_CHANGED
   */
  assertUnchanged(): void;
}

export interface ChildProgramOptions {
  tasks: URL;
  entry?: URL;
  flags?: readonly string[];
  files?: readonly string[];
  /** Whether its files may change, as sources do while a developer works */
  mayChange?: boolean;
}

export function createChildProgram({
  tasks,
  entry = ownProgram(),
  flags = [],
  files = [],
  mayChange = false,
}: ChildProgramOptions): ChildProgram {
  const read = (): string | undefined => (mayChange ? undefined : readFiles([entry, tasks]));
  const atStart = read();
  return {
    entry,
    tasks,
    flags,
    files,
    assertUnchanged() {
      if (read() !== atStart) throw new JailError('PROGRAM_CHANGED');
    },
  };
}

function ownProgram(): URL {
  const name = import.meta.url.endsWith('.ts') ? '../jail-child.ts' : './jail-child.cjs';
  return new URL(name, import.meta.url);
}

/** The module of the tasks names each other bundle by its content. */
function readFiles(urls: readonly URL[]): string | undefined {
  try {
    return urls.map((url) => readFileSync(url, 'latin1')).join('');
  } catch {
    return undefined;
  }
}
