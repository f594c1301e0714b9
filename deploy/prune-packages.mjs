// Removes from a folder of packages what does not run here: `node prune-packages.mjs node_modules`. Runs in the image's build.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [root = 'node_modules'] = process.argv.slice(2);
const cpu = process.arch;
const temporal = { x64: 'x86_64', arm64: 'aarch64' }[cpu] ?? cpu;

/** Folders of which only some are for this machine. */
const CHOICES = [
  { folder: 'onnxruntime-node/bin/napi-v6', keep: /^linux$/ },
  { folder: 'onnxruntime-node/bin/napi-v6/linux', keep: new RegExp(`^${cpu}$`) },
  { folder: '@temporalio/core-bridge/releases', keep: new RegExp(`^${temporal}-unknown-linux-gnu$`) },
  { folder: '@temporalio/core-bridge', keep: /^(?!sdk-core$)/ },
  { folder: '@img', keep: /^(?!.*(musl|wasm))/ },
  // The compiler of workflows, which were bundled in the build.
  { folder: '@swc', keep: /^(?!core-)/ },
];

for (const { folder, keep } of CHOICES) {
  const path = join(root, folder);
  if (!existsSync(path)) throw new Error(`Expected ${folder} among the packages: has its layout changed?`);
  const names = readdirSync(path);
  if (!names.some((name) => keep.test(name))) throw new Error(`Nothing in ${folder} is for this machine.`);
  for (const name of names) if (!keep.test(name)) rmSync(join(path, name), { recursive: true });
}

/** What only editors and debuggers read: types and source maps. */
for (const name of readdirSync(root, { recursive: true })) {
  if (/\.(d\.[cm]?ts|map)$/.test(name)) rmSync(join(root, name));
}
