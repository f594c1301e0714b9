import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cleanEnvironment, freePorts, portSettings } from './instance.ts';
import { testUnless } from '../support/needs.ts';

// A process namespace of its own ends all of the instance with the command, also after its time limit.
const NETWORK = 'unshare --map-root-user --net --mount --pid --fork --kill-child --mount-proc --'.split(' ');

/** Runs a command where every question for a name is recorded. */
async function namesAskedBy(command: readonly string[], env: NodeJS.ProcessEnv, folder: string) {
  const resolvConf = join(folder, 'resolv.conf');
  await writeFile(resolvConf, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  const recorder = join(repositoryRoot, 'test', 'support', 'recorded-names.mjs');
  const [program = '', ...args] = [...NETWORK, process.execPath, recorder, resolvConf, ...command];
  const { stdout } = await promisify(execFile)(program, args, { env, cwd: folder, timeout: 120_000 });
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as { code: number; names: string[] };
}

const works = (() => {
  try {
    execFileSync(NETWORK[0]!, [...NETWORK.slice(1), 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

testUnless(works ? undefined : 'network namespaces')(
  'an instance that starts, enhances pictures and a PDF, and ends asks for no foreign name',
  async () => {
    await using folder = await temporaryFolder();
    const env = await cleanEnvironment({
      ...portSettings(await freePorts()),
      BURNISH_DATA_DIR: join(folder.path, 'data'),
      BURNISH_ENGINE_TIER: 'fast',
    });
    // The recorder hears what is asked, and not only silence.
    const asking = ['-e', "require('dns').lookup('heard.example', () => {})"];
    expect((await namesAskedBy([process.execPath, ...asking], env, folder.path)).names).toContain('heard.example');
    const demo = [process.execPath, join(repositoryRoot, 'scripts', 'burnish.cjs'), 'demo'];
    expect(await namesAskedBy(demo, env, folder.path)).toEqual({ code: 0, names: [] });
  },
  180_000,
);
