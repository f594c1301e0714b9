import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import * as dns from 'node:dns/promises';
import * as fs from 'node:fs';
import { connect, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** @param {number | import('node:net').ListenOptions} where */
const listen = (where) =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(where, () => server.close(() => resolve('listens')));
  });

/** @param {import('node:net').NetConnectOpts} where */
const reach = (where) =>
  new Promise((resolve, reject) => {
    const socket = connect(where, () => resolve(socket.destroy() && 'connected')).once('error', reject);
  });

/** @param {string} file */
const run = (file, args = ['-c', 'true']) => {
  const { error, status } = spawnSync(file, args);
  if (error) throw error;
  return `ended with ${status}`;
};

/**
 * Writes a file at a forbidden path, and removes it again.
 * @param {string} path
 */
const plant = (path) => {
  fs.writeFileSync(path, '');
  fs.rmSync(path);
};

/**
 * Returns the first readable file of the given paths.
 * @param {string[]} paths @param {(text: string) => boolean} wanted
 */
const readAny = (paths, wanted = () => true) => {
  for (const path of paths) {
    try {
      if (wanted(fs.readFileSync(path, 'latin1'))) return path;
    } catch {
      // The next one may be open.
    }
  }
  throw new Error('not one');
};

/**
 * Reads the confinement of a process from the kernel; undefined when unreadable.
 * @param {string} pid
 */
const confinementOf = (pid) => {
  try {
    const lines = fs.readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
    return lines.filter((line) => /^(CapEff|CapBnd|NoNewPrivs|Seccomp):/.test(line)).join();
  } catch {
    return undefined;
  }
};

const processes = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/**
 * Attempts of a compromised decoder. An attempt that returns has succeeded.
 * @type {Record<string, (place: Record<string, any>) => unknown>}
 */
const ATTEMPTS = {
  'read the environment of another process': ({ secret }) =>
    readAny(
      [...processes(), process.ppid].map((pid) => `/proc/${pid}/environ`),
      (text) => text.includes(secret),
    ),
  'read the memory of a process that may do more': ({ parent }) => {
    // Process 1 of a sandbox has the same restrictions as the decoder, and its memory gives no further access.
    const freer = processes().filter((pid) => confinementOf(pid) !== confinementOf('self'));
    for (const pid of [parent, ...freer]) {
      try {
        fs.closeSync(fs.openSync(`/proc/${pid}/mem`, 'r'));
        return pid;
      } catch {
        // The next one may be open.
      }
    }
    throw new Error('not one');
  },
  'read a file of the data folder': ({ dataFile }) => fs.readFileSync(dataFile, 'utf8'),
  'read it through the root of another process': ({ dataFile }) =>
    readAny(processes().map((pid) => `/proc/${pid}/root${dataFile}`)),
  'list the data folder': ({ dataFile }) => {
    // In a separate root, a folder of that name exists. It contains only the path to the sandboxes' own folders.
    const names = fs.readdirSync(dirname(dataFile));
    return names.includes(basename(dataFile)) ? names.join() : Promise.reject(new Error('not there'));
  },
  'read the input of another task': ({ otherInput }) => fs.readFileSync(otherInput, 'utf8'),
  'read the accounts of the machine': () => fs.readFileSync('/etc/passwd', 'utf8'),
  'write into the data folder': ({ dataFile }) => plant(join(dirname(dataFile), 'planted')),
  'write into the code': ({ code }) => plant(join(code, 'planted.js')),
  'write into the packages': ({ packages }) => plant(join(packages, 'planted.js')),
  'write over its input': ({ inputPath }) => fs.appendFileSync(inputPath, 'more'),
  'make its input writable': ({ inputPath }) => fs.chmodSync(inputPath, 0o666),
  'write beside its outbox': ({ outputPath }) => plant(join(dirname(dirname(outputPath)), 'planted')),
  'write to the folder for temporary files': () => plant('/tmp/planted-by-a-decoder'),
  'write to shared memory': () => plant('/dev/shm/planted-by-a-decoder'),
  'connect to a port of this machine': ({ port }) => reach({ port, host: '127.0.0.1' }),
  'connect to a socket of this machine': ({ socketPath }) => reach({ path: socketPath }),
  'connect to an abstract socket of this machine': ({ abstractSocket }) => reach({ path: `\0${abstractSocket}` }),
  'connect to a socket through the root of another process': async ({ socketPath }) => {
    for (const pid of processes()) {
      const path = `/proc/${pid}/root${socketPath}`;
      if (path.length < 108 && (await reach({ path }).catch(() => undefined))) return path;
    }
    throw new Error('not one');
  },
  'ask for a name': () => dns.resolve4('localhost.example'),
  'listen on a port': () => listen(0),
  'listen on a socket': ({ outputPath }) => listen({ path: `${outputPath}.sock` }),
  'open a socket for datagrams': () =>
    new Promise((resolve, reject) => {
      const socket = createSocket('udp4').once('error', reject);
      socket.bind(0, () => resolve(socket.close() && 'bound'));
    }),
  'start a shell': () => run('/bin/sh'),
  'start a program of the machine': () => run('/usr/bin/env'),
  'start Node.js': () => run(process.execPath, ['--version']),
  'start a program that it wrote': ({ outputPath }) => {
    fs.writeFileSync(`${outputPath}.sh`, '#!/bin/sh\n', { mode: 0o755 });
    return run(`${outputPath}.sh`, []);
  },
  'signal its parent': ({ parent }) => process.kill(parent, 0),
  'write a file larger than the limit': ({ outputPath }) => {
    const file = fs.openSync(`${outputPath}.large`, 'w');
    try {
      fs.writeSync(file, 'x', 9 * 1024 ** 3);
    } finally {
      fs.closeSync(file);
      fs.rmSync(`${outputPath}.large`);
    }
  },
};

/** Descriptors of results that the parent has taken. @type {number[]} */
const kept = [];

/**
 * What a decoder can leave in its outbox, to harm the parent that empties it. Each gets the path of its result.
 * @type {Record<string, (outputPath: string) => void>}
 */
const LEFTOVERS = {
  'a folder without permissions': (outputPath) => {
    fs.mkdirSync(`${outputPath}-locked`);
    fs.writeFileSync(`${outputPath}-locked/file`, '');
    fs.chmodSync(`${outputPath}-locked`, 0);
  },
  'an outbox without permissions': (outputPath) => fs.chmodSync(dirname(outputPath), 0),
  'a result without permissions': (outputPath) => fs.writeFileSync(outputPath, '', { mode: 0 }),
  'a result with a second name': (outputPath) => {
    fs.writeFileSync(outputPath, '');
    fs.linkSync(outputPath, `${outputPath}-again`);
  },
  'folders deeper than a path may be long': (outputPath) => {
    const back = process.cwd();
    process.chdir(dirname(outputPath));
    try {
      for (let depth = 0; depth < 60; depth += 1) {
        fs.mkdirSync('x'.repeat(200));
        process.chdir('x'.repeat(200));
      }
    } catch {
      // The permission model does not find the longest paths either.
    } finally {
      process.chdir(back);
    }
  },
  'files without number': (outputPath) => {
    for (let index = 0; index < 60_000; index += 1) fs.closeSync(fs.openSync(`${outputPath}-${index}`, 'w'));
  },
};

/** @type {Record<string, () => Promise<(input: any, context: any) => Promise<unknown>>>} */
export const TASKS = {
  attempt: async () => async (place) => {
    /** @type {Record<string, string>} */
    const held = {};
    /** @type {Record<string, string>} */
    const succeeded = {};
    for (const [name, attempt] of Object.entries(ATTEMPTS)) {
      try {
        succeeded[name] = String(await attempt(place)).slice(0, 200);
      } catch (error) {
        held[name] = /** @type {NodeJS.ErrnoException} */ (error).code ?? String(error);
      }
    }
    return { held, succeeded };
  },
  native:
    async () =>
    async ({ inputPath, outputPath, dataFile, parent }) => {
      const place = { ATTACK_REPORT: outputPath, ATTACK_FILE: dataFile, ATTACK_OUTBOX: dirname(outputPath) };
      Object.assign(process.env, place, { ATTACK_PARENT: parent });
      try {
        process.dlopen({ exports: {} }, inputPath);
      } catch {
        // The library is no addon of Node.js. Its attempts have run while it was loaded.
      }
      const lines = fs.readFileSync(outputPath, 'utf8').trimEnd().split('\n');
      return lines.map((line) => line.split('\t'));
    },
  hold:
    async () =>
    async ({ inputPath }, { onProgress }) => {
      onProgress({ step: inputPath, fraction: 0 });
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    },
  hog: async () => async () => {
    const kept = [];
    for (;;) {
      kept.push(Buffer.alloc(16_000_000, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  multiply: async () => async () => {
    for (let started = 0; started < 400; started += 1) {
      try {
        const copy = spawn(process.execPath, ['-e', 'Buffer.alloc(2e7, 1); setInterval(() => {}, 1000)']);
        await new Promise((resolve, reject) => copy.once('spawn', () => resolve(undefined)).once('error', reject));
      } catch {
        return started;
      }
    }
    return 400;
  },
  outlive: async () => async () => {
    process.exit = /** @type {any} */ (() => undefined);
    for (const program of ['/bin/sh', process.execPath]) {
      try {
        spawnSync(program, ['-e', 'setInterval(() => {}, 1000)'], { timeout: 100 });
      } catch {
        // Only leftovers matter.
      }
    }
    for (;;) Math.random();
  },
  leaveLink:
    async () =>
    async ({ outputPath, dataFile }) =>
      fs.symlinkSync(dataFile, outputPath),
  leaveFolder:
    async () =>
    async ({ outputPath }) =>
      fs.mkdirSync(outputPath),
  leave:
    async () =>
    async ({ outputPath, what }) =>
      LEFTOVERS[what]?.(outputPath),
  keep:
    async () =>
    async ({ outputPath, content }) => {
      for (const file of kept) fs.writeSync(file, content, 0);
      const file = fs.openSync(outputPath, 'w');
      fs.writeSync(file, content, 0);
      fs.chmodSync(outputPath, 0o6777);
      kept.push(file);
    },
};

export const LEFTOVER_NAMES = Object.keys(LEFTOVERS);
