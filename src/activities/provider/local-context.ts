import type { UploadPasswords } from '../../database/uploads/upload-passwords.ts';
import type { Sandbox } from '../../engine/sandbox.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

export interface LocalProviderDeps {
  sandbox: Sandbox;
  store: ObjectStore;
  /** Folder for files that live as long as one job; on the same disk as storage, a result is moved, not copied */
  scratchDir: string;
  /** Of the engine in the sandbox, with the networks that it has */
  engineVersion: string;
  /** Passwords of PDFs; absent: a PDF that needs one is refused */
  passwords?: Pick<UploadPasswords, 'withPassword' | 'remove'>;
  /** Most pixels of a PDF, before and after, that one activity enhances; by default the engine's own choice */
  oneGoPixels?: number;
}

/** What the files of the local provider share. */
export interface LocalContext extends LocalProviderDeps {
  /** Runs a job with a folder of its own, which goes with it */
  withScratch<T>(use: (folder: string) => Promise<T>): Promise<T>;
  /** Works on the PDF of an upload, with its password where it needs one */
  withPassword: UploadPasswords['withPassword'];
}

/** An object's bytes as a local file, for reading. */
export interface LocalFile {
  path: string;
  /** Ends the use of the path; resolves when whatever it took is given back. */
  release(): Promise<void>;
}

/** As `withLocalFile`, for a use that does not fit into a function. @throws Failure NOT_FOUND */
export function borrowLocalFile(store: Pick<ObjectStore, 'withLocalFile'>, key: string): Promise<LocalFile> {
  return new Promise((resolve, reject) => {
    const use = store.withLocalFile(
      key,
      (path) =>
        new Promise<void>((done) => {
          const release = async (): Promise<void> => {
            done();
            await use.catch(() => undefined);
          };
          resolve({ path, release });
        }),
    );
    use.catch(reject);
  });
}
