import { execFile } from 'node:child_process';
import { cp, mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporalPrograms } from '../../cluster/temporal-programs.ts';
import { repositoryRoot } from '../../support/repository.ts';
import { s3ServerBinary } from '../../support/s3-server-binary.ts';
import { temporalBinary } from '../../support/temporal-binary.ts';
import { podman } from './podman.ts';

const execute = promisify(execFile);
const NAME = 'localhost/burnish-test';
/** Of images with programs of others. */
const TARGETS = ['node', 'postgres', 'storage', 'temporal', 'temporal-tools'];

/**
 * Builds every image that docker-compose.yml names, and that of the product from its Dockerfile. The base is Debian as debootstrap installs
 * it, with the version of Node.js that the Dockerfile names.
 */
export async function buildImages(): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), 'burnish-images-'));
  try {
    await importDebian(context);
    await addPrograms(context);
    const file = join(import.meta.dirname, 'Containerfile');
    for (const target of TARGETS)
      await podman('build', ...network(), '--target', target, '--tag', `${NAME}/${target}`, '--file', file, context);
    const commit = (await execute('git', ['rev-parse', 'HEAD'], { cwd: repositoryRoot })).stdout.trim();
    const options = ['--from', `${NAME}/node`, '--build-arg', `BURNISH_COMMIT=${commit}`, '--tag', `${NAME}/burnish`];
    // An image in the format of OCI has no health check.
    await podman('build', '--format', 'docker', ...network(), ...options, '.');
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

/** The network of this machine, and its certificates where a proxy of the network has one of its own. */
function network(): string[] {
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  if (certificates === undefined) return ['--network', 'host'];
  const inside = '/usr/local/share/extra-certificates.crt';
  return [
    ...['--network', 'host', '--volume', `${certificates}:${inside}:ro`],
    ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap((name) => ['--env', `${name}=${inside}`]),
  ];
}

async function importDebian(context: string): Promise<void> {
  const root = join(context, 'debian');
  await execute('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root], {
    maxBuffer: 64_000_000,
  });
  const archive = join(context, 'debian.tar');
  await execute('tar', ['--create', '--file', archive, '--directory', root, '.']);
  await podman('import', archive, `${NAME}/debian`);
  for (const path of [root, archive]) await rm(path, { recursive: true });
}

async function addPrograms(context: string): Promise<void> {
  const dockerfile = await readFile(join(repositoryRoot, 'Dockerfile'), 'utf8');
  const [, version] = /^FROM node:(\d+\.\d+\.\d+)-bookworm-slim AS node$/m.exec(dockerfile)!;
  const architecture = { x64: 'linux-x64', arm64: 'linux-arm64' }[process.arch as 'x64' | 'arm64'];
  await unpack(`node-${architecture}@${version}`, join(context, 'node'));
  await unpack('npm@11', join(context, 'npm'));
  const { server, folder, schema } = await temporalPrograms();
  await cp(server, join(context, 'temporal-server'));
  await cp(join(folder, 'temporal-sql-tool'), join(context, 'temporal-sql-tool'));
  await cp(schema, join(context, 'schema'), { recursive: true });
  await cp(await temporalBinary(), join(context, 'temporal'));
  await cp(s3ServerBinary, join(context, 'versitygw'));
  await cp(join(import.meta.dirname, 'start-postgres.sh'), join(context, 'start-postgres.sh'));
}

/** Unpacks a package of npm into a folder. */
async function unpack(name: string, folder: string): Promise<void> {
  await mkdir(folder);
  const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', folder, name]);
  const tarball = join(folder, stdout.trim());
  await execute('tar', ['--extract', '--strip-components=1', '--directory', folder, '--file', tarball]);
  await rm(tarball);
}
