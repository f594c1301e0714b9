import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError, run, runAsMain, succeed } from '../process.mjs';
import { root as clone } from '../setup.mjs';
import { repositoryUrl } from './repository-url.mjs';

/** Programs that build an image, in the order of preference. */
const BUILDERS = ['podman', 'buildah', 'docker'];

/** What a package does when it is tried; by default, its module loads. The engine enlarges a picture by a network. */
const TRIALS = {
  '@burnish/engine': `
    const { enhanceImage, findModels } = await import('@burnish/engine');
    const { default: sharp } = await import('sharp');
    await sharp({ create: { width: 64, height: 64, channels: 3, background: '#468' } }).png().toFile('in.png');
    const models = await findModels('fast', console.error);
    const order = { inputPath: 'in.png', outputPath: 'out.png', parameters: { upscalingFactor: 'X2', engineTier: 'FAST' }, models };
    const { fellBack, models: used } = await enhanceImage(order);
    if (fellBack || used.length === 0) throw new Error('The engine has used no network.');`,
};

/**
 * Makes the files of a release in `release/`: the tarballs of the product and of each public package, each of them installed and run in an
 * empty folder, with the native code of this machine; that of the other machines; the licences and the list of packages (CycloneDX); and the
 * image `burnish:<version>`, where a program for images is.
 * @param {string} root a clone without changes
 * @param {string} version
 * @throws {SetupError} when a file cannot be made, or does not run
 */
export async function makeReleaseFiles(root, version) {
  const folder = join(root, 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const destination = ['--pack-destination', folder];
  await succeed('npm', ['run', '--silent', 'package', '--', ...destination], { cwd: root });
  for (const name of publicPackages(root))
    await succeed('npm', ['run', '--silent', 'package', '--', '--workspace', name, ...destination], { cwd: root });
  const runtime = join(folder, `burnish-onnxruntime-${process.platform}-${process.arch}-${version}.tgz`);
  for (const tarball of readdirSync(folder).filter((name) => !name.includes('onnxruntime')))
    await tryOut(join(folder, tarball), runtime, folder);
  await buildImage(root, version);
  console.log(`release/ has: ${readdirSync(folder).join(', ')}.`);
  if ((await repositoryUrl(root)) === undefined)
    console.log(
      'npm will refuse to publish them, because they name no repository: clone from a public one, and repeat this.',
    );
}

/**
 * @param {string} root
 * @returns {string[]} the names of the packages that anybody may install
 */
function publicPackages(root) {
  return readdirSync(join(root, 'packages'))
    .map((name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')))
    .filter((manifest) => manifest.private !== true)
    .map(({ name }) => name);
}

/**
 * Installs a tarball in an empty folder with an empty home, without install scripts, and runs it: its command, or else its module.
 * @param {string} tarball
 * @param {string} runtime the tarball that npm adds to the engine once it is published
 * @param {string} folder receives the notices of the product
 */
async function tryOut(tarball, runtime, folder) {
  const place = mkdtempSync(join(tmpdir(), 'burnish-release-'));
  try {
    const env = { ...process.env, HOME: join(place, 'home') };
    mkdirSync(env.HOME);
    const install = ['install', '--loglevel=error', '--ignore-scripts', '--prefix', place];
    await succeed('npm', [...install, tarball], { cwd: place, env });
    const { dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    const [name = ''] = Object.keys(dependencies);
    const trial = TRIALS[/** @type {keyof typeof TRIALS} */ (name)];
    if (trial !== undefined) await succeed('npm', [...install, runtime], { cwd: place, env });
    const installed = join(place, 'node_modules', name);
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    if (bin === undefined) {
      const script = trial ?? `await import(${JSON.stringify(name)})`;
      await succeed(process.execPath, ['--input-type=module', '--eval', script], { cwd: place, env });
      return;
    }
    for (const command of Object.keys(bin))
      await succeed(join(place, 'node_modules', '.bin', command), ['--version'], { cwd: place, env });
    for (const notice of ['licences.txt', 'sbom.cdx.json'])
      cpSync(join(installed, 'dist', notice), join(folder, notice));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string} version
 */
async function buildImage(root, version) {
  const builder = await findBuilder(root);
  if (builder === undefined) {
    console.log('No image was built: none of Podman, Buildah and Docker runs here.');
    return;
  }
  const commit = await succeed('git', ['rev-parse', 'HEAD'], { cwd: root });
  // An image in the format of OCI, which only Docker does not prefer, has no health check.
  const format = builder === 'docker' ? [] : ['--format', 'docker'];
  const args = ['build', ...format, '--tag', `burnish:${version}`, '--build-arg', `BURNISH_COMMIT=${commit}`, '.'];
  const { code } = await run(builder, args, { cwd: root });
  if (code !== 0) throw new SetupError(`${builder} could not build the image; its reasons are above.`);
}

/**
 * @param {string} root
 * @returns {Promise<string | undefined>} the first program that is installed, and that can build
 */
async function findBuilder(root) {
  for (const program of BUILDERS) {
    const { code } = await run(program, ['info'], { cwd: root, quiet: true }).catch(() => ({ code: 1 }));
    if (code === 0) return program;
  }
  return undefined;
}

// `npm run release:files`: those of the version that package.json names.
if (process.argv[1] === import.meta.filename)
  await runAsMain(async () => {
    const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
    await makeReleaseFiles(clone, version);
  });
