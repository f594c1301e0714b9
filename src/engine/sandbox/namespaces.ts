import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, type Wall } from './wall.ts';

/**
 * Runs as process 1 of the new namespaces: builds a root in memory from the view, makes it the root, forgets the old one,
 * and starts the command without capabilities. It stays, since signals that a process 1 sends itself are ignored.
 */
const SCRIPT = `
set -eu
root=$1 mount=$2 umount=$3 pivot=$4 setpriv=$5
shift 5
"$mount" -t tmpfs -o mode=755,nosuid,nodev tmpfs "$root"
place() {
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root\${1%/*}" && : >"$root$1"; fi
  "$mount" --bind "$1" "$root$1"
  "$mount" -o "remount,bind,nosuid,nodev,$2" "$root$1"
}
while [ "$1" != -- ]; do place "$2" "$1"; shift 2; done
shift
mkdir -p "$root/proc" "$root/dev" "$root/.old"
"$mount" -t proc -o nosuid,nodev,noexec proc "$root/proc"
for device in null zero random urandom; do
  : >"$root/dev/$device"
  "$mount" --bind "/dev/$device" "$root/dev/$device"
done
cd "$root"
"$pivot" . .old
"/.old$mount" -o remount,bind,ro,nosuid,nodev /
"/.old$umount" -l /.old
cd /
"$setpriv" --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
exit $?
`;

/** The same as bubblewrap does, by the tools of util-linux, which most machines have; without a system call filter. */
export function namespacesWall(): Wall | undefined {
  const tools = ['mount', 'umount', 'pivot_root', 'setpriv'].map(findProgram);
  const unshare = findProgram('unshare');
  if (process.platform !== 'linux' || unshare === undefined || tools.includes(undefined)) return undefined;
  const setpriv = tools[3]!;
  const spaces = ['--user', '--map-root-user', '--mount', '--pid', '--net', '--ipc', '--uts', '--fork'];
  return {
    name: 'namespaces',
    layers: ['namespaces', 'a root of its own', 'no capabilities'],
    isolates: true,
    endsWithParent: true,
    around(command, { readable, inbox, outbox }, folder) {
      const root = join(folder, 'root');
      mkdirSync(root, { recursive: true });
      const shown = [...readable, inbox, setpriv].flatMap((path) => ['ro', path]);
      const words = [root, ...(tools as string[]), ...shown, 'rw,noexec', outbox, '--', ...command];
      // When its parent ends, the supervisor outside ends too, and the namespaces with it.
      const supervised = [setpriv, '--pdeathsig', 'KILL', '--', unshare] as const;
      return [...supervised, ...spaces, '--kill-child=KILL', '--', '/bin/sh', '-c', SCRIPT, 'sh', ...words];
    },
  };
}
