import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pdfWithPhoto, photo } from './files.ts';
import { cleanEnvironment, freePorts, portSettings, runCommand, startInstance } from './instance.ts';
import { portTrouble } from '../../src/temporal/port.ts';

/** Milliseconds; a start on a busy machine takes many seconds. */
const SEVERAL_STARTS = 180_000;

test(
  'burnish enhance starts an instance or uses a running one, and its exit code reports failures',
  async () => {
    await using data = await temporaryFolder();
    await using work = await temporaryFolder();
    const file = (name: string): string => join(work.path, name);
    await writeFile(file('photo.jpg'), await photo(1));
    await writeFile(file('flyer.pdf'), await pdfWithPhoto());
    await writeFile(file('broken.jpg'), (await photo(2)).subarray(0, 22_000));
    await writeFile(file('notes.txt'), 'x'.repeat(30_000));
    const ports = await freePorts();
    const env = await cleanEnvironment({ ...portSettings(ports), BURNISH_DATA_DIR: data.path });
    const enhance = async (...args: string[]) => {
      const command = runCommand(['enhance', ...args], env, { cwd: work.path });
      return { code: await command.ended, out: command.stdout(), err: command.stderr() };
    };

    const own = await enhance('photo.jpg', 'flyer.pdf', '--upscale', 'X2', '--dpi', '300', '-o', 'first');
    expect(own).toMatchObject({ code: 0 });
    expect(own.out).toContain('photo.jpg');
    expect((await readdir(file('first'))).sort()).toEqual(['flyer.pdf', 'photo.jpg']);
    expect(await sharp(join(file('first'), 'photo.jpg')).metadata()).toMatchObject({ width: 800, height: 600 });
    for (const port of Object.values(ports)) expect(await portTrouble('127.0.0.1', port)).toBeUndefined();

    // It was the first start of this folder: its key is shown now or never.
    const [, apiKey = ''] = /API key +(\S+)/.exec(own.err) ?? [];
    await using running = await startInstance({ dataDir: data.path, ports, apiKey });
    expect(running.stdout()).not.toContain('API key');
    expect(await running.api.credits()).toMatchObject({ used: 8 });
    const used = await enhance('photo.jpg', 'broken.jpg', 'notes.txt', '--upscale', 'X2', '--json', '-o', 'second');
    expect(used.code).toBe(1);
    expect(JSON.parse(used.out)).toMatchObject([
      // Known from the first call: it is the same data.
      { file: 'photo.jpg', state: 'FINISHED', reused: true, credits: 0 },
      { file: 'broken.jpg', error: { code: 'CORRUPT_FILE' } },
      { file: 'notes.txt', state: 'FAILED', error: { code: expect.anything() } },
    ]);
    expect(await readdir(file('second'))).toEqual(['photo.jpg']);
    // It was left running.
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    expect(await enhance('photo.jpg', '--upscale', 'X3')).toMatchObject({ code: 2 });
    expect(await running.stop()).toBe(0);
  },
  SEVERAL_STARTS,
);
