import type { ObjectStore } from '../../storage/object-store.ts';
import { fingerprint } from '../commands/idempotency.ts';
import type { Previews, BuildLook } from '../previews/previews.ts';
import type { Viewed } from '../previews/viewed.ts';
import type { BoundedWork } from '../trouble/bounded-work.ts';

/** A finished picture, with its original where that is known. */
export interface ViewedPicture {
  finished: Viewed;
  original?: Viewed;
}

export interface LookBuildDeps {
  buildLook: BuildLook;
  previews: Pick<Previews, 'file'>;
  storage: Pick<ObjectStore, 'withLocalFile'>;
  /** Bounds the work of previews, estimates and looks */
  engineWork: BoundedWork;
}

export type LookBuilds = ReturnType<typeof createLookBuilds>;

/** Sizes of the previews from which tone is measured, and on which a look is shown. */
const [MEASURED, SHOWN] = [320, 960] as const;

/** Builds looks from previews, which are kept: an interrupted build continues where it stopped. */
export function createLookBuilds({ buildLook, previews, storage, engineWork }: LookBuildDeps) {
  const previewsOf = async (viewed: readonly Viewed[], width: 320 | 960): Promise<string[]> => {
    const keys: string[] = [];
    for (const each of viewed) keys.push((await previews.file(each, width)).key);
    return keys;
  };
  const locals = <T>(
    [first, ...rest]: readonly string[],
    use: (paths: string[]) => Promise<T>,
    paths: string[] = [],
  ): Promise<T> =>
    first === undefined ? use(paths) : storage.withLocalFile(first, (path) => locals(rest, use, [...paths, path]));

  return {
    /**
     * @param samples pictures that show the look
     * @returns the look, or the indexes of unfit pictures; samples with the look as data URLs
     */
    async build(accountId: string, pictures: readonly ViewedPicture[], samples: readonly Viewed[]) {
      const finished = await previewsOf(
        pictures.map((each) => each.finished),
        MEASURED,
      );
      const paired = pictures.flatMap(({ original }, index) => (original === undefined ? [] : [{ original, index }]));
      const originals = await previewsOf(
        paired.map(({ original }) => original),
        MEASURED,
      );
      const shown = await previewsOf(samples, SHOWN);
      const keys = [...finished, ...originals, ...shown];
      const key = `look ${fingerprint({ keys, indexes: paired.map(({ index }) => index) })}`;
      const built = await engineWork.share(key, accountId, () =>
        locals(keys, (paths) => {
          const ofOriginals = paths.slice(finished.length, finished.length + originals.length);
          const given = paths.slice(0, finished.length).map((path, index) => {
            const pair = paired.findIndex((each) => each.index === index);
            return { finished: path, ...(pair >= 0 && { original: ofOriginals[pair]! }) };
          });
          return buildLook(accountId, { pictures: given, samples: paths.slice(finished.length + originals.length) });
        }),
      );
      return { ...built, samples: built.samples.map((bytes) => toDataUrl(bytes)) };
    },
  };
}

const toDataUrl = (bytes: Uint8Array): string => `data:image/webp;base64,${Buffer.from(bytes).toString('base64')}`;
