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

/**
 * Local files that several pieces of work share, and that stay a while after the last of them: spans of one PDF follow
 * one another, and from storage that is far away a file of 1,000 MB would be fetched for each.
 */
export function shareLocalFiles(store: Pick<ObjectStore, 'withLocalFile'>, lingerMs: number) {
  interface Shared {
    file: Promise<LocalFile>;
    users: number;
    timer?: NodeJS.Timeout;
  }
  const shared = new Map<string, Shared>();

  function letGo(key: string, each: Shared): void {
    if (shared.get(key) === each) shared.delete(key);
    void each.file.then(
      (file) => file.release(),
      () => undefined,
    );
  }

  return {
    /** Runs `use` with a local path that holds the object's bytes. @throws Failure NOT_FOUND */
    async withFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T> {
      let each = shared.get(key);
      if (each === undefined) {
        each = { file: borrowLocalFile(store, key), users: 0 };
        shared.set(key, each);
      }
      clearTimeout(each.timer);
      each.users += 1;
      try {
        const { path } = await each.file;
        return await use(path);
      } catch (error) {
        // What is wrong may be the copy: the next one gets another.
        if (shared.get(key) === each) shared.delete(key);
        throw error;
      } finally {
        each.users -= 1;
        const current = each;
        if (each.users === 0) {
          if (shared.get(key) === each) each.timer = setTimeout(() => letGo(key, current), lingerMs).unref();
          else letGo(key, each);
        }
      }
    },
  };
}
