import fs from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** WASI's number for an input/output error. */
const EIO = 29;

interface OpenFile {
  /** Node's descriptor of the file or folder */
  nfd: number;
}

interface NodeFileSystem {
  NODEFS: { stream_ops: { fsync?: (file: OpenFile) => number } };
}

/**
 * PGlite's file system on a real folder, with an `fsync` that syncs. Emscripten's NODEFS has none, so PostgreSQL's calls
 * succeed without doing anything; the call reaches `stream_ops.fsync` once there is one, for files and folders alike.
 * Only `fsync` arrives: `fdatasync` is a no-op that cannot be hooked, hence `wal_sync_method=fsync`.
 */
export class DurableNodeFs extends NodeFS {
  readonly #onAbort: () => void;

  /** @param onAbort called when PostgreSQL panics */
  constructor(path: string, onAbort: () => void) {
    super(path);
    this.#onAbort = onAbort;
  }

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const addFsync = (module: unknown): void => {
      (module as NodeFileSystem).NODEFS.stream_ops.fsync = syncFile;
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), addFsync];
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort: this.#onAbort } };
  }
}

/** An error goes back to PostgreSQL, which then panics rather than report a commit that is not on disk. */
function syncFile(file: OpenFile): number {
  try {
    fs.fsyncSync(file.nfd);
    return 0;
  } catch {
    return EIO;
  }
}
