import type { ObjectStore } from '../../storage/object-store.ts';

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
