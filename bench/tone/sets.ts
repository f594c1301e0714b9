import { filesBelow, load, pairsOf, smallSet, type Photograph } from '../quality/photographs.ts';

export const SETS = ['pairs', 'exposures', 'casts', 'white', 'night', 'everyday'] as const;
export type SetName = (typeof SETS)[number];

export type ToneSets = Record<Exclude<SetName, 'pairs'>, readonly Photograph[]> & {
  pairs: readonly { given: Photograph; truth: Photograph }[];
};

/** Longest side of a picture, pixels. */
const SIDE = 256;

/** Loads the named folders: of pairs with the folders `given` and `truth`, of good photographs otherwise. */
export async function setFrom(folders: Partial<Record<SetName, string | undefined>>): Promise<ToneSets> {
  const of = (name: SetName): Promise<Photograph[]> => photographsIn(folders[name]);
  const pairs = folders.pairs === undefined ? [] : await pairsOf(folders.pairs, SIDE);
  const [exposures, casts, white, night, everyday] = [
    await of('exposures'),
    await of('casts'),
    await of('white'),
    await of('night'),
    await of('everyday'),
  ];
  return { pairs, exposures, casts, white, night, everyday };
}

/** Loads the photographs of a folder; none without a folder. */
export async function photographsIn(folder: string | undefined): Promise<Photograph[]> {
  return folder === undefined ? [] : Promise.all(filesBelow(folder).map((path) => load(path, SIDE)));
}

/** Radii of an object on white, as shares of the sides. */
const OBJECT = { x: 0.32, y: 0.36 };

/** A small set without foreign rights; the objects on white are cut out of it. */
export async function smallSets(): Promise<ToneSets> {
  const all = await smallSet();
  return { pairs: [], exposures: all, casts: all, white: all.map(onWhite), night: [], everyday: all };
}

function onWhite(picture: Photograph): Photograph {
  const { width, height, data } = picture;
  const isObject = (pixel: number): boolean => {
    const [x, y] = [(pixel % width) / width - 0.5, Math.floor(pixel / width) / height - 0.5];
    return (x / OBJECT.x) ** 2 + (y / OBJECT.y) ** 2 < 1;
  };
  return { ...picture, data: data.map((value, i) => (isObject(Math.floor(i / 3)) ? value : 255)) };
}
