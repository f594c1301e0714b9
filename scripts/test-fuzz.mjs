#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupError, run, runAsMain } from './process.mjs';
import { root, setup } from './setup.mjs';

/** The program that generates requests from the API description, and checks the responses against it. */
const SCHEMATHESIS = 'schemathesis==4.32.5';
const SETTINGS = join(root, 'scripts', 'fuzz', 'schemathesis.toml');
const EXTENSIONS = join(root, 'scripts', 'fuzz', 'extensions.py');
const START_WITHIN_MS = 120_000;
const API_KEY = 'fuzz-key-of-the-first-account';
const OPERATOR_KEY = 'fuzz-key-of-the-operator';
const OPERATOR_PATHS = '^/v1/operator/';
/** The operator's requests are last, because they may suspend the first account, or take the credits of its plan. */
const ROUNDS = [
  // GraphQL answers a refusal with `errors`, which Schemathesis takes for faults of the server.
  { path: '/graphql', key: API_KEY, only: ['--exclude-checks', 'not_a_server_error'], seconds: 120 },
  { path: '/openapi.json', key: API_KEY, only: ['--exclude-path-regex', OPERATOR_PATHS], seconds: 300 },
  { path: '/openapi.json', key: OPERATOR_KEY, only: ['--include-path-regex', OPERATOR_PATHS], seconds: 120 },
];

/**
 * `npm run test:fuzz -- [options of schemathesis]`: generated requests against a separate instance, first with an account's
 * key, then with the operator's key. No response may be a server error, or contradict /openapi.json. Takes up to nine minutes.
 * Settings are in scripts/fuzz/.
 */
async function main() {
  await setup({ quiet: true });
  const program = await installSchemathesis();
  const folder = mkdtempSync(join(tmpdir(), 'burnish-fuzz-'));
  const instance = await startInstance(folder);
  try {
    for (const round of ROUNDS) {
      const words = ['--config-file', SETTINGS, 'run', ...options(instance.url, round), ...process.argv.slice(2)];
      const { code } = await run(program, words, {
        cwd: folder,
        env: { ...process.env, SCHEMATHESIS_HOOKS: EXTENSIONS },
      });
      if (code !== 0) process.exitCode = code;
    }
    if (process.exitCode !== undefined) console.error(instance.complaints());
  } finally {
    await instance.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} url
 * @param {typeof ROUNDS[number]} round
 */
function options(url, { path, key, only, seconds }) {
  return [
    url + path,
    ...(path === '/openapi.json' ? ['--url', url] : []),
    ...['--header', `x-api-key: ${key}`],
    ...['--max-time', String(seconds)],
    ...only,
  ];
}

/**
 * Installs it once into a separate virtual environment.
 * @returns the path of the program
 */
async function installSchemathesis() {
  const folder = join(root, '.cache', `fuzz-${SCHEMATHESIS.replace('==', '-')}`);
  const program = join(folder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  console.error(`Installing ${SCHEMATHESIS} ...`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', '--clear', folder],
    [join(folder, 'bin', 'python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', SCHEMATHESIS],
  ]) {
    const result = await run(command ?? '', args, { cwd: root, quiet: true }).catch(() => ({ code: 1, output: '' }));
    if (result.code === 0) continue;
    rmSync(folder, { recursive: true, force: true });
    throw new SetupError(
      `${result.output}\nSchemathesis could not be installed: it needs python3 with venv, and PyPI.`,
    );
  }
  return program;
}

/** @param {string} folder of its data */
async function startInstance(folder) {
  // Imports the built code, because it selects ports that stay free.
  /** @type {typeof import('../src/temporal/port.ts')} */
  const { freePort } = await import(new URL('../dist/temporal/port.js', import.meta.url).href);
  /** @type {typeof import('../src/temporal/server-binary.ts')} */
  const { resolveServerBinary } = await import(new URL('../dist/temporal/server-binary.js', import.meta.url).href);
  // Downloads it once, rather than into each new folder.
  const cache = join(root, '.cache');
  const temporal = await resolveServerBinary({ dataDir: cache, env: process.env });
  const [port, temporalPort, uiPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...withoutOurs(process.env),
    BURNISH_TEMPORAL_BINARY: temporal,
    BURNISH_PORT: String(port),
    BURNISH_TEMPORAL_PORT: String(temporalPort),
    BURNISH_TEMPORAL_UI_PORT: String(uiPort),
    BURNISH_DATA_DIR: folder,
    BURNISH_BOOTSTRAP_API_KEY: API_KEY,
    BURNISH_OPERATOR_KEY: OPERATOR_KEY,
    BURNISH_LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, [join(root, 'dist', 'cli.js'), 'up'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-20_000)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  let running = true;
  void ended.then(() => (running = false));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
  };
  for (const deadline = Date.now() + START_WITHIN_MS; ; await pause(250)) {
    if (!running) throw new SetupError(`${said}\nThe instance ended instead of starting.`);
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    if (Date.now() < deadline) continue;
    await stop();
    throw new SetupError(`${said}\nThe instance was not ready in time.`);
  }
  return { url, stop, complaints: () => said };
}

/**
 * Removes the settings of the user's own instance.
 * @param {NodeJS.ProcessEnv} env
 */
function withoutOurs(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(BURNISH_|TEMPORAL_|DATABASE_URL$)/.test(name)));
}

await runAsMain(main);
