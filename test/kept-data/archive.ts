import { chmod, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** A folder or a file of an archive, in the order of their bytes. */
interface Entry {
  path: string;
  /** Bytes; null: a folder */
  size: number | null;
}

const HEAD_BYTES = 4;
const {
  BROTLI_PARAM_QUALITY,
  BROTLI_PARAM_LGWIN,
  BROTLI_PARAM_LARGE_WINDOW,
  BROTLI_PARAM_SIZE_HINT,
  BROTLI_DECODER_PARAM_LARGE_WINDOW,
} = constants;

/** Writes a folder into one compressed file. @param leaveOut whether an entry of this relative path is left out */
export async function packFolder(folder: string, file: string, leaveOut: (path: string) => boolean): Promise<void> {
  const entries: Entry[] = [];
  const bodies: Buffer[] = [];
  const paths = (await readdir(folder, { recursive: true })).toSorted();
  for (const path of paths.filter((each) => !leaveOut(each))) {
    const stats = await lstat(join(folder, path));
    if (stats.isDirectory()) entries.push({ path, size: null });
    if (!stats.isFile()) continue;
    bodies.push(await readFile(join(folder, path)));
    entries.push({ path, size: bodies.at(-1)!.length });
  }
  const head = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(HEAD_BYTES);
  length.writeUInt32BE(head.length);
  const all = Buffer.concat([length, head, ...bodies]);
  const params = {
    [BROTLI_PARAM_QUALITY]: 11,
    [BROTLI_PARAM_LARGE_WINDOW]: 1,
    [BROTLI_PARAM_LGWIN]: 26,
    [BROTLI_PARAM_SIZE_HINT]: all.length,
  };
  await writeFile(file, brotliCompressSync(all, { params }));
}

/** Writes the folders and files of an archive below a folder, for this user alone. */
export async function unpackFolder(file: string, folder: string): Promise<void> {
  const all = brotliDecompressSync(await readFile(file), { params: { [BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
  let at = HEAD_BYTES + all.readUInt32BE();
  for (const { path, size } of JSON.parse(all.toString('utf8', HEAD_BYTES, at)) as Entry[]) {
    const target = join(folder, path);
    if (relative(folder, target).startsWith('..')) throw new Error(`${path} lies outside of the folder.`);
    await mkdir(size === null ? target : dirname(target), { recursive: true, mode: 0o700 });
    if (size === null) continue;
    await writeFile(target, all.subarray(at, (at += size)));
    await chmod(target, 0o600);
  }
}
