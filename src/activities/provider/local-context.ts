import type { Sandbox } from '../../engine/sandbox.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

export interface LocalProviderDeps {
  sandbox: Sandbox;
  store: ObjectStore;
  /** Folder for files that live as long as one job; on the same disk as storage, a result is moved, not copied */
  scratchDir: string;
  /** Of the engine in the sandbox, with the networks that it has */
  engineVersion: string;
  /** Most pixels of a PDF, before and after, that one activity enhances; by default the engine's own choice */
  oneGoPixels?: number;
}

/** What the files of the local provider share. */
export interface LocalContext extends LocalProviderDeps {
  /** Runs a job with a folder of its own, which goes with it */
  withScratch<T>(use: (folder: string) => Promise<T>): Promise<T>;
}
