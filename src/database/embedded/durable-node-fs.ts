import fs from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** WASI's error number of an input/output error. */
const EIO = 29;

interface OpenFile {
  /** Node's descriptor of the file or folder */
  nfd: number;
}

interface Attributes {
  mode?: number;
}

type SetAttributes = (file: unknown, attributes: Attributes) => void;

interface FileNode {
  name: string;
}

interface EmscriptenModule {
  FS: {
    lookupNode(parent: FileNode, name: string): FileNode;
    destroyNode(node: FileNode): void;
  };
  NODEFS: {
    /** Runs each operation on a real file, and converts its error */
    tryFSOperation<T>(operation: () => T): T;
    node_ops: {
      mknod(parent: FileNode, name: string, mode: number, device: number): FileNode;
      setattr: SetAttributes;
    };
    stream_ops: { setattr: SetAttributes; fsync?: (file: OpenFile) => number };
  };
}

/** Clears the permissions of group and others. */
const OWNER_ONLY = ~0o077;

/** Codes of a disk that is full or faulty, of missing permissions, and of too many open files. */
const TROUBLE: readonly string[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE'];

/**
 * PGlite's file system on a real folder, with an `fsync` that syncs. Emscripten's NODEFS has no `fsync`, so
 * PostgreSQL's calls succeed without effect. Emscripten calls `stream_ops.fsync` if it exists, for files and folders
 * alike. It supports no hook for `fdatasync`, which is a no-op, hence `wal_sync_method=fsync`. Emscripten sets the
 * permissions of each new file by `chmod`, which ignores the umask, so this class clears those of group and others.
 * NODEFS remembers a file before it creates it. This class makes it forget a file that could not be created:
 * PostgreSQL would meet "File exists" at each later attempt.
 */
export class DurableNodeFs extends NodeFS {
  readonly #onAbort: () => void;
  #trouble: string | undefined;

  /** @param onAbort called when PostgreSQL panics */
  constructor(path: string, onAbort: () => void) {
    super(path);
    this.#onAbort = onAbort;
  }

  /** Code of the last error of the disk, such as ENOSPC */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const adapt = (module: unknown): void => {
      const { FS, NODEFS } = module as EmscriptenModule;
      const { node_ops: nodes, stream_ops: streams } = NODEFS;
      streams.fsync = (file) => this.#sync(file);
      nodes.setattr = forOwnerOnly(nodes.setattr);
      streams.setattr = forOwnerOnly(streams.setattr);
      nodes.mknod = forgettingFailures(nodes.mknod, FS);
      const { tryFSOperation } = NODEFS;
      NODEFS.tryFSOperation = (operation) => tryFSOperation(() => this.#watch(operation));
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), adapt];
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort: this.#onAbort } };
  }

  /** Returns an error to PostgreSQL, which then panics instead of reporting a commit that is not on disk. */
  #sync(file: OpenFile): number {
    try {
      this.#watch(() => fs.fsyncSync(file.nfd));
      return 0;
    } catch {
      return EIO;
    }
  }

  #watch<T>(operation: () => T): T {
    try {
      return operation();
    } catch (error) {
      const code = String((error as NodeJS.ErrnoException).code);
      if (TROUBLE.includes(code)) this.#trouble = code;
      throw error;
    }
  }
}

function forOwnerOnly(setAttributes: SetAttributes): SetAttributes {
  return (file, attributes) => {
    const { mode } = attributes;
    setAttributes(file, mode === undefined ? attributes : { ...attributes, mode: mode & OWNER_ONLY });
  };
}

type MakeNode = EmscriptenModule['NODEFS']['node_ops']['mknod'];

function forgettingFailures(mknod: MakeNode, emscripten: EmscriptenModule['FS']): MakeNode {
  return (parent, name, mode, device) => {
    try {
      return mknod(parent, name, mode, device);
    } catch (error) {
      emscripten.destroyNode(emscripten.lookupNode(parent, name));
      throw error;
    }
  };
}
