import { expect } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cleanEnvironment, freePorts, portSettings, runCommand } from './instance.ts';
import { canRunWithoutBubblewrap, WITHOUT_BUBBLEWRAP, WITHOUT_BUBBLEWRAP_SAID } from './without-bubblewrap.ts';
import { testUnless } from '../support/needs.ts';

testUnless(canRunWithoutBubblewrap() ? undefined : 'mount namespaces')(
  'a process that requires a sandbox does not start where the kernel isolates nothing, and says what to do',
  async () => {
    await using folder = await temporaryFolder();
    const settings = { ...portSettings(await freePorts()), BURNISH_DATA_DIR: folder.path };
    const env = await cleanEnvironment({ ...settings, BURNISH_SANDBOX: 'required' });
    const { ended, stdout, stderr } = runCommand(['up'], env, { via: WITHOUT_BUBBLEWRAP });
    expect(await ended).toBe(1);
    expect(stderr().split('\n')).toContain(`BURNISH_SANDBOX is \`required\`. ${WITHOUT_BUBBLEWRAP_SAID}`);
    expect(stdout()).not.toContain('Burnish is up');
  },
  60_000,
);
