import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ProcessIdentity, identifyProcess, isRunning } from '../../src/process/process-identity.ts';
import { startTestTemporal } from '../support/test-temporal.ts';
import { claimServer } from '../../src/temporal/server-claim.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { poll } from '../support/poll.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let binary: string;
beforeAll(async () => {
  binary = await temporalBinary();
});

interface Owned {
  owner: ChildProcess;
  server: ProcessIdentity;
  port: number;
}

async function startOwner(dataDir: string): Promise<Owned> {
  const script = join(repositoryRoot, 'test/temporal/fixtures/owner.ts');
  const args = ['--import', 'tsx', script, binary, dataDir];
  const owner = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(owner.stdout), 'line')) as [string];
  const { pid, address } = JSON.parse(line) as { pid: number; address: string };
  return { owner, server: identifyProcess(pid) as ProcessIdentity, port: Number(address.split(':')[1]) };
}

async function kill(process_: ChildProcess): Promise<void> {
  process_.kill('SIGKILL');
  await once(process_, 'exit');
}

/** The guard that ends the server with its owner. */
function guardOf(server: ProcessIdentity): number {
  for (const [pid, command] of commands()) if (command.endsWith(`temporal-guard ${server.pid}`)) return pid;
  throw new Error(`server ${server.pid} has no guard`);
}

function commands(): [number, string][] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n');
    return lines.map((line) => [Number.parseInt(line, 10), line]);
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => [Number(pid), commandLine(pid)]);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').replaceAll('\0', ' ');
  } catch {
    // Ended since.
    return '';
  }
}

describe('a Temporal server whose owner was killed', () => {
  test('ends by itself', async () => {
    await using folder = await temporaryFolder();
    const { owner, server } = await startOwner(folder.path);
    await kill(owner);
    await poll(() => isRunning(server)).toBe(false);
    expect(identifyProcess(server.pid)?.started).not.toBe(server.started);
  });

  test('is ended by the next start on the same folder if its guard was killed too', async () => {
    await using folder = await temporaryFolder();
    const { owner, server, port } = await startOwner(folder.path);
    process.kill(guardOf(server), 'SIGKILL');
    await kill(owner);
    expect(isRunning(server)).toBe(true);
    await using next = await startTestTemporal(folder.path, { port });
    expect(isRunning(server)).toBe(false);
    expect(next.address).toBe(`127.0.0.1:${port}`);
  });

  test('is left alone if its id belongs to another process', async () => {
    await using folder = await temporaryFolder();
    const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
    const file = join(folder.path, 'server.claim');
    const past = { pid: bystander.pid as number, started: 'long ago' };
    await writeFile(file, JSON.stringify({ owner: past, server: past }));
    const claim = await claimServer(file);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
    await claim.release();
    await kill(bystander);
  });
});
