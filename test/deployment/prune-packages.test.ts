import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const execute = promisify(execFile);
const temporalCpu = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const otherCpu = process.arch === 'arm64' ? 'x64' : 'arm64';

const KEPT = [
  `onnxruntime-node/bin/napi-v6/linux/${process.arch}/onnxruntime_binding.node`,
  `@temporalio/core-bridge/releases/${temporalCpu}-unknown-linux-gnu/index.node`,
  '@temporalio/core-bridge/index.js',
  `@img/sharp-linux-${process.arch}/index.node`,
  '@swc/core/index.js',
  'zod/index.js',
  'zod/map/index.js',
];
const REMOVED = [
  `onnxruntime-node/bin/napi-v6/linux/${otherCpu}/onnxruntime_binding.node`,
  'onnxruntime-node/bin/napi-v6/darwin/arm64/onnxruntime_binding.node',
  'onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime_binding.node',
  '@temporalio/core-bridge/releases/x86_64-pc-windows-msvc/index.node',
  '@temporalio/core-bridge/sdk-core/Cargo.toml',
  `@img/sharp-linuxmusl-${process.arch}/index.node`,
  '@img/sharp-wasm32/index.wasm',
  `@swc/core-linux-${process.arch}-gnu/swc.node`,
  'zod/index.d.ts',
  'zod/index.d.cts',
  'zod/index.js.map',
];

async function packagesWith(root: string, files: readonly string[]): Promise<void> {
  for (const path of files.map((name) => join(root, name))) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'x');
  }
}

const prune = (root: string) => execute(process.execPath, [join(repositoryRoot, 'deploy', 'prune-packages.mjs'), root]);

it('the packages of the image keep only the native code of this machine', async () => {
  await using folder = await temporaryFolder();
  await packagesWith(folder.path, [...KEPT, ...REMOVED]);
  await prune(folder.path);
  const left = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const files = left.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.sort()).toEqual(KEPT.map((name) => join(folder.path, name)).sort());
});

it('the build of the image fails if a package moves its native code', async () => {
  await using folder = await temporaryFolder();
  const elsewhere = KEPT.map((name) => name.replace('napi-v6', 'napi-v7'));
  await packagesWith(folder.path, elsewhere);
  await expect(prune(folder.path)).rejects.toThrow('Expected onnxruntime-node/bin/napi-v6 among the packages');
});
