import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onceACheckout } from '../../support/once-a-checkout.ts';
import { repositoryRoot } from '../../support/repository.ts';

const execute = promisify(execFile);
/** The oldest one that reads `cap_drop`, `tmpfs`, `init`, `cpus` and networks of this composition right. */
const PODMAN_COMPOSE = 'podman-compose==1.6.0';
const folder = join(repositoryRoot, '.cache', 'containers');
const modules = join(folder, 'podman-compose');
const configuration = join(folder, 'containers.conf');

/**
 * A runtime of containers whose limits are those of this process. Podman raises them, which the root of some containers and virtual
 * machines may not.
 */
const RUNTIME = `#!/bin/sh
file=
previous=
for word in "$@"; do
  case "$previous" in
    --bundle | -b) file="$word/config.json" ;;
    --process | -p) file="$word" ;;
  esac
  previous="$word"
done
[ -z "$file" ] || python3 - "$file" <<'PYTHON'
import json, sys
with open(sys.argv[1]) as file: settings = json.load(file)
settings.get("process", settings).pop("rlimits", None)
with open(sys.argv[1], "w") as file: json.dump(settings, file)
PYTHON
exec runc "$@"
`;

const environment = { ...process.env, CONTAINERS_CONF: configuration, PYTHONPATH: modules };
const options = { cwd: repositoryRoot, env: environment, maxBuffer: 64_000_000 };

/** Writes the configuration of Podman, and fetches podman-compose. */
async function prepare(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const runtime = join(folder, 'runc-within-limits');
  await writeFile(runtime, RUNTIME, { mode: 0o755 });
  // Without systemd, nothing runs health checks by itself, and logs are files.
  const settings = ['[containers]', 'log_driver = "k8s-file"', '[engine]', 'cgroup_manager = "cgroupfs"'];
  const runtimes = ['events_logger = "file"', 'runtime = "limited"', '[engine.runtimes]', `limited = ["${runtime}"]`];
  await writeFile(configuration, `${[...settings, ...runtimes].join('\n')}\n`);
  await execute('python3', ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', modules, PODMAN_COMPOSE]);
}

await onceACheckout('containers', prepare);

/** Runs Podman. @returns its output @throws Error with its output */
export async function podman(...args: string[]): Promise<string> {
  const { stdout } = await execute('podman', args, options);
  return stdout.trim();
}

/** Runs podman-compose with the composition of the repository. @returns its output @throws Error with its output */
export async function compose(...args: string[]): Promise<string> {
  const override = join(import.meta.dirname, 'docker-compose.override.yml');
  const files = ['--file', 'docker-compose.yml', '--file', override, '--env-file', environmentFile];
  const { stdout } = await execute(
    'python3',
    ['-m', 'podman_compose', '--project-name', PROJECT, ...files, ...args],
    options,
  );
  return stdout.trim();
}

export const PROJECT = 'burnish-test';
/** The settings that a test writes before it starts the composition. */
export const environmentFile = join(folder, 'test.env');
