import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LEFTOVER_NAMES } from './hostile-tasks.mjs';

/**
 * `node hostile-report.mjs <src|dist> <isolation> [<library> <bomb> <lingerer> <burst> <hoarder>...]`: runs hostile tasks in real child processes with the given isolation, and
 * prints their results as JSON. It is a separate program, so that it can run as another user. With libraries, tasks load them: the
 * attempts of the first are native code, the second starts threads without end, the third goes on after its task, the fourth starts
 * threads at once, and each other one takes memory.
 */
const [, , sources, isolationName, library, bomb, lingerer, burst, ...hoarders] = process.argv;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const ending = sources === 'src' ? 'ts' : 'js';
/** @param {string} path */
const load = (path) => import(join(root, String(sources), `${path}.${ending}`));
const { createSandbox } = await load('sandbox/sandbox');
const { childProgram } = await load('sandbox/child-program');
const { readableFor } = await load('sandbox/readable');
/** @param {string} fromSources @param {string} built */
const loadPackage = (fromSources, built) =>
  import(join(root, sources === 'src' ? `packages/${fromSources}.ts` : `dist/node_modules/@burnish/${built}`));
const { bubblewrapIsolation, createJail, processIsolation, processTree, works } = await loadPackage(
  'jail/src/index',
  'jail/index.cjs',
);
const { NO_MODELS } = await loadPackage('engine/src/host', 'engine/dist/host.cjs');
const makers = { bubblewrap: bubblewrapIsolation, process: processIsolation };

const isolation = makers[/** @type {keyof typeof makers} */ (isolationName)]?.();
if (typeof isolation !== 'object' || !works(isolation, readableFor(NO_MODELS))) {
  console.log(JSON.stringify({ missing: isolationName }));
  process.exit(0);
}

const data = await mkdtemp(join(tmpdir(), 'burnish-hostile-'));
const dataFile = join(data, 'local-access.json');
await writeFile(dataFile, 'a secret of the instance', { mode: 0o600 });
const inputPath = join(data, 'input');
await writeFile(inputPath, 'an input');
await mkdir(join(data, 'scratch'));
const socketPath = join(data, 'operator.sock');
/** @param {number | string} where */
const serve = (where) =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.listen(where, () => resolve(server));
  });
const abstractSocket = `burnish-hostile-${process.pid}`;
const [tcp, unix, abstract] = [await serve(0), await serve(socketPath), await serve(`\0${abstractSocket}`)];
const files = {
  attempt: { reads: ['inputPath'], writes: ['outputPath'] },
  native: { reads: ['inputPath'], writes: ['outputPath'] },
  hold: { reads: ['inputPath'] },
  leaveLink: { writes: ['outputPath'] },
  leaveFolder: { writes: ['outputPath'] },
  leave: { writes: ['outputPath'] },
  keep: { writes: ['outputPath'] },
};

const NAMESPACES = ['user', 'pid', 'net', 'mnt', 'ipc', 'uts'];
const LIMITS = ['Max core file size', 'Max file size', 'Max open files', 'Max data size', 'Max processes'];

/** Reads the kernel's view of the decoding process, the newest descendant of this process. */
function confinement() {
  const pid = processTree(process.pid).at(-1);
  const linkOf = (/** @type {number} */ of, /** @type {string} */ name) => readlinkSync(`/proc/${of}/ns/${name}`);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
  const valueOf = (/** @type {string} */ name) => new RegExp(`^${name}:\\s*(\\S+)$`, 'm').exec(status)?.[1];
  return {
    program: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0],
    sharedNamespaces: NAMESPACES.filter((name) => linkOf(process.pid, name) === linkOf(Number(pid), name)),
    capabilities: ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].filter(
      (name) => !/^0+$/.test(valueOf(name) ?? ''),
    ),
    uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]),
    noNewPrivileges: valueOf('NoNewPrivs') === '1',
    filtered: valueOf('Seccomp') === '2',
    limits: LIMITS.map((name) => Number(new RegExp(`^${name}\\s+(\\d+)`, 'm').exec(limits)?.[1])),
  };
}

/** What all decoders hold now: threads, bytes of memory, milliseconds of processor time, bytes of files. */
function holdings() {
  const sum = { threads: 0, bytes: 0, cpuMs: 0, written: 0 };
  for (const pid of processTree(process.pid).slice(1)) {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    sum.threads += Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1]);
    sum.bytes += 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    sum.cpuMs += 10 * (Number(stat[11]) + Number(stat[12]));
  }
  for (const name of readdirSync(join(data, 'scratch'), { recursive: true, encoding: 'utf8' })) {
    const stats = statSync(join(data, 'scratch', name));
    if (stats.isFile()) sum.written += stats.size;
  }
  return sum;
}

/**
 * Loads a library whose code goes on after its task, in a decoder of its own, which loads no other one of the same name. A decoder that
 * starts meanwhile comes to rest within seconds.
 */
async function linger() {
  const two = { account: 'two' };
  let first = 'not run';
  // On a busy machine, the watch may end the child before its task ends.
  for (let left = 20; left > 0 && first !== 'none'; left -= 1)
    first = await codeOf(run('native', { inputPath: lingerer, outputPath: join(data, 'output') }, two));
  let looks = [holdings()];
  for (let left = 20; left > 0; left -= 1) {
    await pause(1_000);
    looks = [...looks, holdings()].slice(-2);
    if (JSON.stringify(looks[0]) === JSON.stringify(looks[1])) break;
  }
  return { first, looks, next: await codeOf(run('keep', { outputPath: join(data, 'next'), content: 'next' }, two)) };
}

/** The largest number of threads at once. A look of the watch can end the child first. */
async function burstOf(/** @type {string} */ inputPath) {
  for (let left = 20; left > 0; left -= 1) {
    const [[started]] = await run('native', { inputPath, outputPath: join(data, 'output') }).catch(() => [[]]);
    if (started !== undefined) return Number(started);
  }
  return null;
}

const jail = createJail(isolation, !childProgram.hasThreads);
const tasksUrl = new URL('./hostile-tasks.mjs', import.meta.url);
const sandbox = createSandbox({
  concurrency: 2,
  jail,
  files,
  tasksUrl,
  scratchDir: join(data, 'scratch'),
  memoryLimitBytes: 500_000_000,
});
/** @param {string} task @param {object} input */
const run = (task, input, options = {}) => sandbox.run(task, input, { account: 'one', ...options });
/** @param {Promise<unknown>} promise */
const codeOf = (promise) =>
  promise.then(
    () => 'none',
    (error) => error.code ?? String(error),
  );

try {
  const stop = new AbortController();
  /** @type {Promise<unknown>} */
  let holding = Promise.resolve();
  const otherInput = await new Promise((resolve, reject) => {
    const onProgress = (/** @type {{ step: string }} */ { step }) => resolve(step);
    holding = run('hold', { inputPath }, { onProgress, signal: stop.signal });
    holding.catch(reject);
  });
  const confined = confinement();
  const outputPath = join(data, 'output');
  const { held, succeeded } = await run('attempt', {
    ...{ inputPath, outputPath, dataFile, otherInput, socketPath, abstractSocket },
    port: tcp.address().port,
    code: join(root, String(sources), 'engine'),
    packages: join(root, 'node_modules'),
    secret: 'a-secret-in-the-environment',
    parent: process.pid,
  });
  const native = library && (await run('native', { inputPath: library, outputPath, dataFile, parent: process.pid }));
  stop.abort(new Error('enough'));
  await holding.catch(() => undefined);

  const lingering = lingerer && (await linger());
  const atOnce = burst && (await burstOf(burst));
  const threads = bomb && (await codeOf(run('native', { inputPath: bomb, outputPath, dataFile })));
  /** @type {Record<string, string>} */
  const hoards = {};
  for (const path of hoarders) {
    const hoard = run('native', { inputPath: path, outputPath, dataFile });
    hoards[basename(path, '.so')] = await hoard.then(
      (/** @type {string[][]} */ [[outcome]]) => outcome,
      (/** @type {{ code?: string }} */ error) => error.code ?? String(error),
    );
  }
  const links = [await codeOf(run('leaveLink', { outputPath, dataFile }))];
  links.push(await codeOf(run('leaveFolder', { outputPath })));
  /** @type {Record<string, string>} */
  const leftovers = {};
  for (const what of LEFTOVER_NAMES) leftovers[what] = await codeOf(run('leave', { outputPath, what }));
  await run('keep', { outputPath, content: 'checked' });
  await run('keep', { outputPath: join(data, 'next'), content: 'changed' });
  const taken = [await readFile(outputPath, 'utf8'), ((await stat(outputPath)).mode & 0o7777).toString(8)];
  const memory = await codeOf(run('hog', {}));
  // The isolation either prevents new processes, or counts their memory as the decoder's own.
  const processes = await run('multiply', {}).then(
    (/** @type {number} */ started) => (started === 0 ? 'none started' : `${started} started`),
    (/** @type {{ code?: string }} */ error) => error.code ?? String(error),
  );
  const outliving = await codeOf(run('outlive', {}, { cpuMs: 1000 }));
  await sandbox.close();
  const left = processTree(process.pid).length - 1;
  const remains = await readdir(join(data, 'scratch'));
  const unharmed = (await readFile(dataFile, 'utf8')) === 'a secret of the instance';
  const { layers } = jail;
  console.log(
    JSON.stringify({
      layers,
      confined,
      held,
      succeeded,
      native: native || null,
      threads: threads || null,
      lingering: lingering || null,
      atOnce: atOnce ?? null,
      hoards,
      links,
      leftovers,
      taken,
      remains,
      memory,
      processes,
      outliving,
      left,
      unharmed,
      uid: process.getuid?.(),
    }),
  );
} finally {
  await sandbox.close();
  tcp.close();
  unix.close();
  abstract.close();
  await rm(data, { recursive: true, force: true });
}
