import { expect, test } from '@jest/globals';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { cleanEnvironment, freePorts, portSettings, runCommand } from './instance.ts';
import { killAtOnce, processTree } from './processes.ts';

const READY_WITHIN_MS = 60_000;

test('a ready instance accepts the key of its settings', async () => {
  await using folder = await temporaryFolder();
  await copyMigratedDatabase(folder.path);
  const ports = await freePorts();
  const key = { BURNISH_BOOTSTRAP_API_KEY: 'a-key-for-a-client-that-waits' };
  const env = await cleanEnvironment({ ...portSettings(ports), BURNISH_DATA_DIR: folder.path, ...key });
  const { pid, output } = runCommand(['up'], env);
  try {
    const url = `http://127.0.0.1:${ports.gateway}`;
    const ready = () => fetch(`${url}/readyz`).catch(() => undefined);
    await until(ready, ({ ok }) => ok, { pauseMs: 5, withinMs: READY_WITHIN_MS }).catch((error: unknown) => {
      throw new Error(`The instance was not ready in time:\n${output()}`, { cause: error });
    });
    const { status } = await fetch(`${url}/v1/credits`, { headers: { 'x-api-key': key.BURNISH_BOOTSTRAP_API_KEY } });
    expect(status).toBe(200);
  } finally {
    await killAtOnce(processTree(pid));
  }
}, 90_000);
