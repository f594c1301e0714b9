import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { PACKAGE_SOURCES } from '../../scripts/package/package-sources.mjs';

/** Minimum size for a compressed copy; below it, the saving is not noticeable. */
const WORTH_BYTES = 1024;

/**
 * Bundles the web page: one script and one style, with content hashes in their names. It also writes compressed copies, so that no
 * request waits for compression.
 * @param {string} outDir a folder that the service serves; it is replaced
 */
export async function buildDashboard(outDir) {
  const { build } = await import('vite');
  const folder = import.meta.dirname;
  await build({
    configFile: false,
    root: join(folder, 'src'),
    base: '/',
    publicDir: false,
    logLevel: 'warn',
    resolve: { alias: PACKAGE_SOURCES },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: ['chrome111', 'firefox114', 'safari16.4'],
      // The content security policy forbids its polyfill and data URLs.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (/\.(js|css|svg|html)$/.test(name)) compress(join(outDir, name));
  }
}

/** @param {string} path */
function compress(path) {
  const bytes = readFileSync(path);
  if (bytes.byteLength < WORTH_BYTES) return;
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
