#!/usr/bin/env node
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError, run, runAsMain } from './process.mjs';

/**
 * Compiles src/ into dist/, copies everything there that is not TypeScript (migrations, pages), and bundles the workflows.
 *
 * @param {string} root the folder that holds tsconfig.build.json, src/ and dist/
 */
export async function build(root) {
  const dist = join(root, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await compile(root);
  cpSync(join(root, 'src'), dist, { recursive: true, filter: (source) => !source.endsWith('.ts') });
  await bundleWorkflows(dist);
}

/** @param {string} root */
async function compile(root) {
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  const result = await run(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root });
  if (result.code !== 0) throw new SetupError('The TypeScript compiler refused the sources; its reasons are above.');
}

/**
 * Bundled here, once, so that a worker starts without webpack and every worker runs the very same workflow code.
 *
 * @param {string} dist
 */
async function bundleWorkflows(dist) {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const workflowsPath = join(dist, 'workflows', 'index.js');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  writeFileSync(join(dist, 'workflow-bundle.js'), code);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runAsMain(() => build(fileURLToPath(new URL('..', import.meta.url))));
}
