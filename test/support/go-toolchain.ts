import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * Finds Go on PATH or in the folders of its installers.
 * @param least minimum version, such as `[1, 25]`
 * @returns the program; undefined without a sufficient version
 */
export async function recentGo([leastMajor, leastMinor]: readonly [number, number]): Promise<string | undefined> {
  for (const go of ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']) {
    const said = await execute(go, ['version']).catch(() => undefined);
    const [, major = '0', minor = '0'] = /go(\d+)\.(\d+)/.exec(said?.stdout ?? '') ?? [];
    if (Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor)) return go;
  }
  return undefined;
}

export interface GoProgram {
  module: string;
  version: string;
  /** Checksum of the module's source from Go's checksum database */
  sum: string;
  /** Folders of the module with one program each */
  packages: readonly string[];
  /** Compiles without optimization, which takes two thirds of the processor time */
  unoptimized?: true;
}

/** A busy machine of half the speed needs a quarter of it. */
const BUILD_TIMEOUT_MS = 3_600_000;

/**
 * Builds programs of a module into a folder, under the names of their packages. Takes minutes, and two cores.
 * @param goToolchain `local`, or `auto` to let Go download the version that the module requires
 * @throws Error when the module differs from the pinned source, or does not build
 */
export async function buildGoPrograms(
  go: string,
  { module, version, sum, packages, unoptimized }: GoProgram,
  folder: string,
  goToolchain: 'local' | 'auto' = 'local',
): Promise<void> {
  // A compiler lives for seconds, so it may collect its garbage less often.
  const env = {
    GOGC: '400',
    ...process.env,
    GOBIN: folder,
    GOFLAGS: '-trimpath',
    GOTOOLCHAIN: goToolchain,
    CGO_ENABLED: '0',
  };
  const limits = { env, cwd: folder, timeout: BUILD_TIMEOUT_MS, maxBuffer: 64_000_000 };
  const addresses = packages.map((name) => `${module}/${name}@${version}`);
  const flags = unoptimized ? ['-gcflags=all=-N -l -dwarf=false'] : [];
  await execute(go, ['install', '-ldflags=-s -w', ...flags, ...addresses], limits);
  for (const name of packages) {
    const { stdout } = await execute(go, ['version', '-m', name.split('/').at(-1)!], limits);
    if (!stdout.includes(`${module}\t${version}\t${sum}`)) {
      throw new Error(`${module} is not the source that is pinned.`);
    }
  }
}
