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

interface NodeFileSystem {
  NODEFS: {
    node_ops: { setattr: SetAttributes };
    stream_ops: { setattr: SetAttributes; fsync?: (file: OpenFile) => number };
  };
}

/** Clears the permissions of group and others. */
const OWNER_ONLY = ~0o077;

/**
 * PGlite's file system on a real folder, with an `fsync` that syncs. Emscripten's NODEFS has no `fsync`, so
 * PostgreSQL's calls succeed without effect. Emscripten calls `stream_ops.fsync` if it exists, for files and folders
 * alike. It supports no hook for `fdatasync`, which is a no-op, hence `wal_sync_method=fsync`. Emscripten sets the
 * permissions of each new file by `chmod`, which ignores the umask, so this class clears those of group and others.
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
    const adapt = (module: unknown): void => {
      const { node_ops: nodes, stream_ops: streams } = (module as NodeFileSystem).NODEFS;
      streams.fsync = syncFile;
      nodes.setattr = forOwnerOnly(nodes.setattr);
      streams.setattr = forOwnerOnly(streams.setattr);
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), adapt];
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort: this.#onAbort } };
  }
}

function forOwnerOnly(setAttributes: SetAttributes): SetAttributes {
  return (file, attributes) => {
    const { mode } = attributes;
    setAttributes(file, mode === undefined ? attributes : { ...attributes, mode: mode & OWNER_ONLY });
  };
}

/** Returns an error to PostgreSQL, which then panics instead of reporting a commit that is not on disk. */
function syncFile(file: OpenFile): number {
  try {
    fs.fsyncSync(file.nfd);
    return 0;
  } catch {
    return EIO;
  }
}
