import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isRunning, identifyProcess } from '../../src/process/process-identity.ts';
import { embeddedSettings } from '../../src/temporal/connection-settings.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { type EmbeddedTemporalOptions, startEmbeddedTemporal } from '../../src/temporal/embedded-server.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { poll } from '../support/poll.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testUnless } from '../support/needs.ts';

let binary: string;
beforeAll(async () => {
  binary = await temporalBinary();
});

/** Runs a program as a user without a name, who owns the files of the tests' user. */
const NAMELESS = ['unshare', '--user', '--map-user=61234', '--map-group=61234', '--'];
const mayUnshare = spawnSync(NAMELESS[0]!, [...NAMELESS.slice(1), 'true']).status === 0;

const options = (dataDir: string, others: Partial<EmbeddedTemporalOptions> = {}): EmbeddedTemporalOptions => ({
  binary,
  dataDir,
  host: '127.0.0.1',
  port: 0,
  uiPort: undefined,
  namespace: 'burnish',
  searchAttributes: ['BurnishStatus=Keyword'],
  ...others,
});

const customAttributes = async (connection: NativeConnection): Promise<string[]> => {
  const answer = await connection.operatorService.listSearchAttributes({ namespace: 'burnish' });
  return Object.keys(answer.customAttributes).filter((name) => name.startsWith('Burnish'));
};

describe('the embedded Temporal server', () => {
  test('keeps its file in the data folder, also where its path has signs of a URI', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data #1?mode=memory%20');
    await mkdir(dataDir);
    await using server = await startEmbeddedTemporal(options(dataDir));
    await server.stop();
    expect(await readdir(folder.path)).toEqual(['data #1?mode=memory%20']);
    expect(await readdir(join(dataDir, 'temporal'))).toContain('temporal.sqlite');
  });

  test('provides its namespace, search attributes and Web UI, and keeps its workflows after a restart', async () => {
    await using folder = await temporaryFolder();
    {
      await using server = await startEmbeddedTemporal(options(folder.path, { uiPort: 0 }));
      expect((await fetch(server.uiUrl ?? '')).status).toBe(200);
      const connection = await connectTemporal(embeddedSettings(server));
      expect(await customAttributes(connection)).toEqual(['BurnishStatus']);
      const client = new Client({ connection, namespace: server.namespace });
      await client.workflow.start('nobody', { taskQueue: 'none', workflowId: 'kept', args: [] });
      await connection.close();
    }
    await using again = await startEmbeddedTemporal(options(folder.path));
    expect(again.uiUrl).toBeUndefined();
    const connection = await connectTemporal(embeddedSettings(again));
    const client = new Client({ connection, namespace: again.namespace });
    expect((await client.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
    await connection.close();
  });

  testUnless(mayUnshare ? undefined : 'user namespaces')(
    'starts for a user that has a number and no name, as in many containers',
    async () => {
      await using folder = await temporaryFolder();
      const nameless = join(folder.path, 'nameless');
      await writeFile(nameless, `#!/bin/sh\nexec ${NAMELESS.join(' ')} '${binary}' "$@"\n`, { mode: 0o755 });
      jest.replaceProperty(process, 'env', { PATH: process.env['PATH'] });
      try {
        await using server = await startEmbeddedTemporal(options(folder.path, { binary: nameless }));
        expect(server.namespace).toBe('burnish');
      } finally {
        jest.restoreAllMocks();
      }
    },
  );

  test('is stopped when stop returns, and a second stop has no effect', async () => {
    await using folder = await temporaryFolder();
    const server = await startEmbeddedTemporal(options(folder.path));
    const identity = identifyProcess(server.pid);
    expect(identity && isRunning(identity)).toBe(true);
    await server.stop();
    await server.stop();
    expect(identity && isRunning(identity)).toBe(false);
  });

  test('runs in its own process group, so that Ctrl-C ends it after the workers', async () => {
    await using folder = await temporaryFolder();
    await using server = await startEmbeddedTemporal(options(folder.path));
    // Only a group's leader can be signalled by the negative of its own number.
    expect(process.kill(-server.pid, 0)).toBe(true);
  });

  test.each([
    ['BURNISH_TEMPORAL_PORT', 'port'],
    ['BURNISH_TEMPORAL_UI_PORT', 'uiPort'],
  ] as const)('reports a port in use, and that %s chooses another', async (setting, option) => {
    await using folder = await temporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const taken = typeof address === 'object' && address !== null ? address.port : 0;
    const start = startEmbeddedTemporal(options(folder.path, { [option]: taken }));
    await expect(start).rejects.toThrow(`Port ${taken} on 127.0.0.1 is in use. Set ${setting} to another port.`);
    other.close();
  });

  test('refuses a data folder in use, and frees it after a failed start', async () => {
    await using folder = await temporaryFolder();
    await using running = await startEmbeddedTemporal(options(folder.path));
    const second = startEmbeddedTemporal(options(folder.path));
    await expect(second).rejects.toThrow(`Another process (${process.pid}) runs Burnish on this data folder`);
    await running.stop();
    const broken = join(folder.path, 'broken');
    await writeFile(broken, '#!/bin/sh\necho no such flag >&2\nexit 1\n', { mode: 0o755 });
    await expect(startEmbeddedTemporal(options(folder.path, { binary: broken }))).rejects.toThrow(
      `The Temporal server stopped at once; it said: no such flag. Read ${join(folder.path, 'temporal', 'server.log')}`,
    );
    await using third = await startEmbeddedTemporal(options(folder.path));
    expect(third.pid).toBeGreaterThan(0);
  });

  /** Panics as a program of Go at its first starts, and then is the real one. */
  async function panicking(folder: string, times: number): Promise<string> {
    const path = join(folder, 'panicking');
    const stack = 'panic: bind: address in use\\n\\ngoroutine 1 [running]:\\nmain.main()\\n\\t/src/main.go:9 +0x1d\\n';
    const script = [
      '#!/bin/sh',
      `case "$*" in *--help*) exec '${binary}' "$@";; esac`,
      `echo >>'${folder}/starts'`,
      `[ $(wc -l <'${folder}/starts') -gt ${times} ] && exec '${binary}' "$@"`,
      `printf '${stack}' >&2`,
      'exit 2',
    ];
    await writeFile(path, script.join('\n'), { mode: 0o755 });
    return path;
  }

  test('is started once more after a panic at its start', async () => {
    await using folder = await temporaryFolder();
    const said: string[] = [];
    const program = await panicking(folder.path, 1);
    await using server = await startEmbeddedTemporal(
      options(folder.path, { binary: program, report: (sentence) => said.push(sentence) }),
    );
    expect(server.pid).toBeGreaterThan(0);
    expect(said).toEqual(['The embedded Temporal server panicked at its start, and is started once more.']);
  });

  test('that panics twice is reported by the first line of the panic, and not by its stack', async () => {
    await using folder = await temporaryFolder();
    const program = await panicking(folder.path, 5);
    const start = startEmbeddedTemporal(options(folder.path, { binary: program }));
    const log = join(folder.path, 'temporal', 'server.log');
    await expect(start).rejects.toThrow(
      `The Temporal server panicked at its start; it said: panic: bind: address in use. Read ${log}, and start again`,
    );
    expect(readFileSync(join(folder.path, 'starts'), 'utf8')).toBe('\n\n');
  });

  test('stops starting when it is cancelled, and leaves no server', async () => {
    await using folder = await temporaryFolder();
    const stalled = join(folder.path, 'stalled');
    const pidFile = join(folder.path, 'pid');
    const script = `#!/bin/sh\ncase "$*" in *--help*) exit 0;; esac\necho $$ >${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 600\n`;
    await writeFile(stalled, script, { mode: 0o755 });
    const controller = new AbortController();
    const start = startEmbeddedTemporal(options(folder.path, { binary: stalled, signal: controller.signal }));
    start.catch(() => undefined);
    await poll(() => existsSync(pidFile)).toBe(true);
    controller.abort(new Error('enough'));
    await expect(start).rejects.toThrow('enough');
    expect(identifyProcess(Number(readFileSync(pidFile, 'utf8')))).toBeUndefined();
    await using after = await startEmbeddedTemporal(options(folder.path));
    expect(after.address).toMatch(/^127\.0\.0\.1:\d+$/);
  });
});
