import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { buildGoPrograms, type GoProgram, recentGo } from './go-toolchain.ts';
import { onceACheckout } from './once-a-checkout.ts';
import { repositoryRoot } from './repository.ts';

const execute = promisify(execFile);

const VERSIONS = { version: 'v1.8.0', sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=' };
const MODULE: GoProgram = {
  module: 'github.com/versity/versitygw',
  packages: ['cmd/versitygw'],
  unoptimized: true,
  ...VERSIONS,
};
/** Minimum version of Go for the module. */
const LEAST_GO = [1, 25] as const;
/** Go toolchain for machines without a sufficient version, https://go.dev/doc/toolchain. Its packages are zip files. */
const TOOLCHAIN = 'v0.0.1-go1.26.0';
const TOOLCHAIN_SHA256 = '38461905b98c59173672814302e222ab43b652274bc0c95817b08b71ab66b705';

/** Builds it from source, which takes one to three minutes. */
async function buildServer(): Promise<string> {
  const folder = join(repositoryRoot, '.cache', `versitygw-${MODULE.version.slice(1)}`);
  const program = join(folder, 'versitygw');
  if (await exists(program)) return program;
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, 'build-'));
  try {
    const go = (await recentGo(LEAST_GO)) ?? (await fetchToolchain(scratch));
    await buildGoPrograms(go, MODULE, scratch);
    await rename(join(scratch, 'versitygw'), program);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return program;
}

/** Downloads it from the module proxy, like Go's own toolchain updates. */
async function fetchToolchain(scratch: string): Promise<string> {
  if (platform() !== 'linux' || arch() !== 'x64') {
    throw new Error(`Go ${LEAST_GO.join('.')} or later is needed to build the S3 server for tests: install it.`);
  }
  const proxy = (process.env['GOPROXY'] ?? '').split(/[,|]/).find((each) => each.startsWith('http'));
  const name = `${TOOLCHAIN}.linux-amd64`;
  const address = `${(proxy ?? 'https://proxy.golang.org').replace(/\/$/, '')}/golang.org/toolchain/@v/${name}.zip`;
  const answer = await fetch(address);
  if (!answer.ok || answer.body === null)
    throw new Error(`Go could not be fetched: the module proxy answered ${answer.status}.`);
  const zip = join(scratch, 'go.zip');
  await pipeline(Readable.fromWeb(answer.body), createWriteStream(zip));
  const hash = createHash('sha256');
  await pipeline(createReadStream(zip), hash);
  if (hash.digest('hex') !== TOOLCHAIN_SHA256) throw new Error('The toolchain of Go is not the one that is pinned.');
  await execute('python3', ['-m', 'zipfile', '-e', zip, scratch]);
  const root = join(scratch, `golang.org/toolchain@${name}`);
  await execute('chmod', ['-R', 'u+x', join(root, 'bin'), join(root, 'pkg', 'tool')]);
  return join(root, 'bin', 'go');
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Path of versitygw, an S3 server that checks signatures, lengths and expiries like the real service. */
export const s3ServerBinary: string = await onceACheckout('s3-server', buildServer);
