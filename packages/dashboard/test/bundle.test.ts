import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { buildDashboard } from '../build.mjs';

/** A phone loads this script at its first visit: 1.3 times that of 1.0.0-rc.2 with its gallery. */
const MAX_SCRIPT_BYTES = 315_000;

test('the script of the page stays small', async () => {
  await using folder = await temporaryFolder();
  const { NODE_ENV } = process.env;
  // Tests would get the parts of libraries that help in development.
  process.env['NODE_ENV'] = 'production';
  try {
    await buildDashboard(folder.path);
  } finally {
    process.env['NODE_ENV'] = NODE_ENV;
  }
  const assets = join(folder.path, 'assets');
  const sizes = readdirSync(assets).flatMap((name) =>
    name.endsWith('.js') ? [statSync(join(assets, name)).size] : [],
  );
  expect(sizes).toHaveLength(1);
  expect(sizes[0]).toBeLessThan(MAX_SCRIPT_BYTES);
});
