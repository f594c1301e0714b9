import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError, run } from '../process.mjs';
import { repositoryUrl } from './repository-url.mjs';

/** Where onnxruntime-node has its native code. */
export const NATIVE_CODE = 'bin/napi-v6';

/**
 * The platforms of the networks: those of Temporal's server, as far as onnxruntime-node has them.
 * @type {readonly { os: string, cpu: string, libc?: string[], library: string }[]}
 */
export const NETWORK_PLATFORMS = [
  { os: 'darwin', cpu: 'arm64', library: 'libonnxruntime.1.dylib' },
  { os: 'linux', cpu: 'arm64', libc: ['glibc'], library: 'libonnxruntime.so.1' },
  { os: 'linux', cpu: 'x64', libc: ['glibc'], library: 'libonnxruntime.so.1' },
];

export const BINDING = 'onnxruntime_binding.node';
/** The texts are in no package of npm; they are those of the release on PyPI. */
export const ONNXRUNTIME_LICENCES = join(import.meta.dirname, 'licences', 'onnxruntime');

/** @param {{ os: string, cpu: string }} platform */
const packageFor = ({ os, cpu }) => `@burnish/onnxruntime-${os}-${cpu}`;

/**
 * The packages of the native code, which npm chooses from by the machine. onnxruntime-node itself has it for all machines, and an install
 * script that downloads more.
 * @param {string} version of all packages of this clone
 * @returns {Record<string, string>}
 */
export const runtimeDependencies = (version) =>
  Object.fromEntries(NETWORK_PLATFORMS.map((platform) => [packageFor(platform), version]));

/** How the sources name the native code, and how a bundle with packages by platform does. */
const IN_SOURCES = `onnxruntime-node/${NATIVE_CODE}/\${process.platform}/\${process.arch}/${BINDING}`;
const BY_PLATFORM = '@burnish/onnxruntime-${process.platform}-${process.arch}';

/**
 * Lets a bundle load the native code from the package for its machine.
 * @returns {import('vite').Plugin}
 */
export function runtimeByPlatform() {
  let found = false;
  return {
    name: 'runtime-by-platform',
    transform(code) {
      if (!code.includes(IN_SOURCES)) return null;
      found = true;
      return { code: code.replace(IN_SOURCES, BY_PLATFORM), map: null };
    },
    buildEnd(error) {
      if (!error && !found) throw new SetupError(`No module loads ${IN_SOURCES}.`);
    },
  };
}

/**
 * Packs the native code of onnxruntime-node for each platform: the binding, the library for CPUs, and their licences.
 * @param {string} root the folder with node_modules
 * @param {readonly string[]} args of `npm pack`, such as `--pack-destination`
 */
export async function packRuntimes(root, args) {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'onnxruntime-'));
  const url = await repositoryUrl(root);
  try {
    for (const platform of NETWORK_PLATFORMS) {
      const place = join(folder, `${platform.os}-${platform.cpu}`);
      copyRuntime(root, place, platform, url && { type: 'git', url: `git+${url}.git` });
      const { code } = await run('npm', ['pack', '--silent', place, ...args], {
        cwd: process.env['INIT_CWD'] ?? process.cwd(),
      });
      if (code !== 0) throw new SetupError('npm could not pack the native code; its reasons are above.');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string} place
 * @param {(typeof NETWORK_PLATFORMS)[number]} platform
 * @param {object | undefined} repository
 */
function copyRuntime(root, place, { library, ...platform }, repository) {
  const source = join(root, 'node_modules', 'onnxruntime-node');
  const { version: original } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const engine = JSON.parse(readFileSync(join(root, 'packages', 'engine', 'package.json'), 'utf8'));
  const { version, engines, publishConfig } = engine;
  const system = `${platform.os} (${platform.cpu})`;
  const description = `Native code of onnxruntime-node ${original} for ${system}, for @burnish/engine.`;
  cpSync(ONNXRUNTIME_LICENCES, place, { recursive: true });
  for (const file of [BINDING, library])
    cpSync(join(source, NATIVE_CODE, platform.os, platform.cpu, file), join(place, file));
  writeFileSync(
    join(place, 'README.md'),
    `# ${packageFor(platform)}\n\n${description} It is built by Microsoft and unchanged.\n`,
  );
  const { os, cpu, libc } = platform;
  const manifest = {
    name: packageFor(platform),
    version,
    description,
    license: 'MIT',
    author: 'Microsoft Corporation',
    repository,
    publishConfig,
    engines,
    type: 'commonjs',
    main: `./${BINDING}`,
    // Yarn keeps packages in archives, from which no native code can be loaded.
    preferUnplugged: true,
    os: [os],
    cpu: [cpu],
    libc,
  };
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
