import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { repositoryRoot } from './repository.ts';

const execute = promisify(execFile);

const MODULE = 'github.com/versity/versitygw';
const VERSION = 'v1.8.0';
/** Of the module's source, as Go's checksum database has it. */
const MODULE_SUM = 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=';
/** What the module asks for at least. */
const LEAST_GO = [1, 25];
/** A toolchain of Go for where there is none that is recent enough, https://go.dev/doc/toolchain; its packages are zip files. */
const TOOLCHAIN = 'v0.0.1-go1.26.0';
const TOOLCHAIN_SHA256 = '38461905b98c59173672814302e222ab43b652274bc0c95817b08b71ab66b705';
const BUILD_TIMEOUT_MS = 900_000;

/**
 * The program of versitygw, an S3 server that checks signatures, lengths and expiries as the real one does. Built from its
 * source, once, and kept; takes one to three minutes.
 */
export async function s3ServerBinary(): Promise<string> {
  const folder = join(repositoryRoot, '.cache', `versitygw-${VERSION.slice(1)}`);
  const program = join(folder, 'versitygw');
  if (await exists(program)) return program;
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, 'build-'));
  try {
    const go = (await recentGo()) ?? (await fetchToolchain(scratch));
    const env = { ...process.env, GOBIN: scratch, GOFLAGS: '-trimpath', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
    const limits = { env, cwd: scratch, timeout: BUILD_TIMEOUT_MS, maxBuffer: 64_000_000 };
    await execute(go, ['install', '-ldflags=-s -w', `${MODULE}/cmd/versitygw@${VERSION}`], limits);
    const built = join(scratch, 'versitygw');
    const { stdout } = await execute(go, ['version', '-m', built], limits);
    if (!stdout.includes(`${MODULE}\t${VERSION}\t${MODULE_SUM}`))
      throw new Error(`${MODULE} is not the source that is pinned.`);
    await rename(built, program);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return program;
}

async function recentGo(): Promise<string | undefined> {
  for (const go of ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']) {
    const said = await execute(go, ['version']).catch(() => undefined);
    const [, major = '0', minor = '0'] = /go(\d+)\.(\d+)/.exec(said?.stdout ?? '') ?? [];
    const [leastMajor = 0, leastMinor = 0] = LEAST_GO;
    if (Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor)) return go;
  }
  return undefined;
}

/** Out of the module proxy, as Go itself fetches newer versions of itself. */
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

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
