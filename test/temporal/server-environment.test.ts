import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { endProcess } from '../../src/temporal/end-process.ts';
import { serverEnvironment, startServerProcess } from '../../src/temporal/server-process.ts';
import { LACKS_LINUX, testUnless } from '../support/needs.ts';

testUnless(LACKS_LINUX)('the embedded server gets no secret of Burnish, and checks for no updates', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'burnish-environment-'));
  jest.replaceProperty(process, 'env', { ...process.env, DATABASE_URL: 'postgres://a-secret' });
  try {
    const program = join(folder, 'server');
    await writeFile(program, '#!/bin/sh\nsleep 60\n', { mode: 0o755 });
    const server = await startServerProcess(program, [], join(folder, 'log'));
    const environment = readFileSync(`/proc/${server.identity.pid}/environ`, 'utf8').split('\0');
    await endProcess(server.identity);
    expect(environment.filter((line) => line.includes('a-secret'))).toEqual([]);
    expect(environment).toContain('TEMPORAL_VERSION_CHECK_DISABLED=1');
    expect(environment).toContain(`PATH=${process.env['PATH']}`);
    expect(environment).toContain('GOMEMLIMIT=192MiB');
  } finally {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true, force: true });
  }
});

test("the operator's limit of memory wins over that of Burnish", () => {
  expect(serverEnvironment({ GOMEMLIMIT: '1GiB' })).toMatchObject({ GOMEMLIMIT: '1GiB' });
});
