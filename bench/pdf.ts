import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { PACKAGE_SOURCES } from '../scripts/package/package-sources.mjs';
import { noisyJpeg, writeJpegPdf } from './pdf-file.ts';
import { LARGE_PICTURES, writePicturePdf } from './pdf-pictures.ts';

/**
 * Measures the growth of time and memory with the size of a PDF, as ratios within one run of the bundled engine: `tsx bench/pdf.ts
 * [megabytes ...]`, by default 25, 300 and 1,000. Enhancement of the larger files takes minutes. It runs for sizes up to
 * BENCH_ENHANCE_MB (25). `tsx bench/pdf.ts pictures` measures one picture of each kind, enlarged to 250 megapixels, and the
 * longest time without progress; `many` does so for 1,000 pages and for 20,000 images.
 */
const words = process.argv.slice(2);
const megabytes = words.length > 0 ? words.map(Number) : [25, 300, 1000];
const TURNS = 3;
const enhanceUpTo = Number(process.env['BENCH_ENHANCE_MB'] ?? 25);
const folder = mkdtempSync(join(tmpdir(), 'burnish-bench-'));

interface Measured {
  ms: number;
  cpuMs: number;
  /** The longest time without progress */
  silentMs: number;
  /** The same in a process that has already done it ten times */
  warmMs?: number;
  startMb: number;
  peakMb: number;
}

type Command = readonly [program: string, ...words: string[]];
const ALL_CORES: Command = [process.execPath];
const ONE_CORE: Command = ['taskset', '--cpu-list', '0', process.execPath];
/** `taskset` is part of util-linux. */
const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** One folder below the engine, where the bundle finds its packages and networks. */
const bundle = fileURLToPath(new URL('../packages/engine/.cache', import.meta.url));
await build({
  configFile: false,
  logLevel: 'warn',
  resolve: { alias: PACKAGE_SOURCES },
  build: {
    outDir: bundle,
    ssr: fileURLToPath(new URL('pdf-job.ts', import.meta.url)),
    target: 'node20',
    minify: false,
  },
});

const measure = (job: string, ...paths: string[]): Measured => measureWith(ALL_CORES, job, ...paths);

function measureWith([program, ...words]: Command, job: string, ...paths: string[]): Measured {
  const script = join(bundle, 'pdf-job.js');
  // The environment of the sandbox's children.
  const env = { ...process.env, MALLOC_ARENA_MAX: '2' };
  const { stdout, stderr, status } = spawnSync(program, [...words, script, job, ...paths], { encoding: 'utf8', env });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}

/** Wall-clock time of poppler's own listing; undefined without poppler. */
function pdfimagesMs(path: string): number | undefined {
  const start = performance.now();
  // The list of a large file exceeds the output buffer of spawnSync.
  const { status } = spawnSync('pdfimages', ['-list', path], { stdio: 'ignore' });
  return status === 0 ? performance.now() - start : undefined;
}

const ratios = ({ ms, warmMs }: Measured, listing: number): string => {
  const warm = warmMs === undefined ? '' : ` in a new process, ${(warmMs / listing).toFixed(1)} times in a warm one`;
  return `; ${(ms / listing).toFixed(1)} times pdfimages -list (${listing.toFixed(0)} ms)${warm}`;
};

const text = ({ ms, startMb, peakMb }: Measured): string =>
  `${ms.toFixed(0)} ms, peak ${peakMb.toFixed(0)} MB (${startMb.toFixed(0)} MB of it before the job)`;

function costs({ cpuMs, silentMs, peakMb }: Measured): string {
  const [cpu, silent] = [cpuMs, silentMs].map((ms) => (ms / 1000).toFixed(1));
  return `${cpu} s of CPU, ${silent} s without progress, ${peakMb.toFixed(0)} MB of memory`;
}

async function measurePictures(): Promise<void> {
  const [path, out] = [join(folder, 'picture.pdf'), join(folder, 'out.pdf')];
  for (const [kind, make] of Object.entries(LARGE_PICTURES)) {
    await writePicturePdf(path, await make());
    const figures = costs(measure('enhance', path, out));
    console.log(`${kind}: ${figures}, ${(statSync(out).size / 1e6).toFixed(1)} MB of result`);
  }
}

/** Files with many pages, and with many images, whose number and not their bytes makes them large. */
async function measureMany(): Promise<void> {
  const [path, out] = [join(folder, 'many.pdf'), join(folder, 'out.pdf')];
  for (const [pages, imagesEach, width] of [
    [1_000, 1, 640],
    [20, 1_000, 64],
  ] as const) {
    writeJpegPdf(path, await noisyJpeg(width, (width * 3) / 4), { pages, imagesEach });
    console.log(`${pages} pages with ${imagesEach} images of ${width} × ${(width * 3) / 4} pixels each`);
    const megabytesOf = (file: string): string => (statSync(file).size / 1e6).toFixed(0);
    for (const job of ['analyze', 'enhance']) console.log(`  ${job}: ${costs(measure(job, path, out))}`);
    console.log(`  ${megabytesOf(path)} → ${megabytesOf(out)} MB`);
  }
}

async function measureSizes(): Promise<void> {
  const jpeg = await noisyJpeg();
  let first: Measured | undefined;
  for (const size of megabytes) {
    const path = join(folder, `${size}.pdf`);
    const pages = Math.max(1, Math.round((size * 1_000_000) / jpeg.data.length));
    writeJpegPdf(path, jpeg, { pages });
    console.log(`\n${(statSync(path).size / 1e6).toFixed(0)} MB, ${pages} pages with a 12-megapixel JPEG each`);
    const structure = measure('structure', path);
    const listing = pdfimagesMs(path);
    console.log(`  structure   ${text(structure)}${listing === undefined ? '' : ratios(structure, listing)}`);
    const analysis = measure('analyze', path);
    console.log(`  analysis    ${text(analysis)}${listing === undefined ? '' : ratios(analysis, listing)}`);
    if (hasTaskset) {
      // Turns of both, because other work on the machine may take a core at any time.
      let [all, one] = [analysis.ms, Infinity];
      for (let turn = 0; turn < TURNS; turn += 1) {
        if (turn > 0) all = Math.min(all, measure('analyze', path).ms);
        one = Math.min(one, measureWith(ONE_CORE, 'analyze', path).ms);
      }
      console.log(
        `  analysis on all cores ${all.toFixed(0)} ms, on one core ${one.toFixed(0)} ms, best of ${TURNS}: ${(all / one).toFixed(2)} of its time`,
      );
    }
    writeJpegPdf(path, jpeg, { pages, equal: true });
    const equal = measure('analyze', path);
    console.log(
      `  analysis of equal images ${text(equal)}; ${(equal.ms / analysis.ms).toFixed(2)} times that of different ones`,
    );
    if (size <= enhanceUpTo) {
      writeJpegPdf(path, jpeg, { pages });
      const enhanced = measure('enhance', path, join(folder, 'out.pdf'));
      first ??= enhanced;
      console.log(
        `  enhancement ${text(enhanced)}; ${(enhanced.ms / pages).toFixed(0)} ms a page; memory ${(enhanced.peakMb / first.peakMb).toFixed(2)} times that of the smallest`,
      );
    }
    rmSync(path);
    rmSync(join(folder, 'out.pdf'), { force: true });
  }
}

try {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  await (words[0] === 'pictures' ? measurePictures() : words[0] === 'many' ? measureMany() : measureSizes());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
