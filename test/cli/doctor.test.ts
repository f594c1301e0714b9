import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { examine } from '../../src/cli/doctor/doctor.ts';
import { checkDisk, checkFonts, checkNode, checkOwnClock, checkText } from '../../src/cli/doctor/machine-checks.ts';
import { checkTemporal } from '../../src/cli/doctor/service-checks.ts';
import { missingFonts } from '../../packages/engine/src/report/font-files.ts';
import { findJail } from '../../src/sandbox/jail.ts';
import { missingIsolation } from '../../src/sandbox/missing-isolation.ts';
import { readConfig } from '../../src/runtime/config.ts';
import { listenHttp } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testPort } from '../support/test-port.ts';
import { testUnless } from '../support/needs.ts';

/** Settings with free ports, and with a program of Temporal that only says its name. */
async function settings(folder: string): Promise<NodeJS.ProcessEnv> {
  const temporal = join(folder, 'temporal-cli');
  await writeFile(temporal, '#!/bin/sh\necho temporal version 1.9.1\n', { mode: 0o755 });
  return {
    HOME: folder,
    BURNISH_TEMPORAL_BINARY: temporal,
    BURNISH_PORT: String(await testPort()),
    BURNISH_TEMPORAL_PORT: String(await testPort()),
    BURNISH_TEMPORAL_UI_PORT: String(await testPort()),
  };
}

async function ask(env: NodeJS.ProcessEnv): Promise<{ isWell: boolean; lines: string[] }> {
  return await examine(readConfig(env), env, {});
}

describe('burnish doctor', () => {
  test('names what a start needs, and what this machine lacks', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'not yet', 'data');
    const env: NodeJS.ProcessEnv = { ...(await settings(folder.path)), BURNISH_DATA_DIR: dataDir };
    const { isWell, lines } = await ask(env);
    expect(isWell).toBe(true);
    expect(lines.map((line) => line.slice(7, 17).trim())).toEqual([
      ...['Node.js', 'Jail', 'Text', 'Fonts', 'Disk', 'Temporary', 'Open files', 'Clock', 'Temporal'],
      ...['BURNISH_PORT', 'BURNISH_TEMPORAL_PORT', 'BURNISH_TEMPORAL_UI_PORT'].map((name) => `Port ${env[name]}`),
    ]);
    const { missing } = findJail('auto');
    expect(lines[1]).toBe(
      missing === null ? 'ok     Jail        bubblewrap' : `note   Jail        ${missingIsolation({ missing })}`,
    );
    expect(lines[8]).toBe(`ok     Temporal    ${env['BURNISH_TEMPORAL_BINARY']}`);
  });

  test.each([
    ['no Python', undefined, 'python3 is not on PATH'],
    ['a Python without pip', 'No module named pip', 'python3 has no pip'],
    ['no package index', 'ERROR: No matching distribution found', 'the package index of pip cannot be reached'],
  ])('says that the first start would find no Temporal with %s', async (_what, said, reason) => {
    await using folder = await temporaryFolder();
    if (said !== undefined)
      await writeFile(join(folder.path, 'python3'), `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 });
    const config = { dataDir: join(folder.path, 'data'), temporalBinary: null };
    const nowhere = `http://127.0.0.1:${await testPort()}/`;
    const found = await checkTemporal(config, { PATH: folder.path, HOME: folder.path }, nowhere);
    expect(found).toMatchObject({ state: 'fault', sentence: expect.stringContaining(`cannot be reached; ${reason}`) });
    for (const remedy of ['install Python 3 and pip', 'TEMPORAL_ADDRESS', 'BURNISH_TEMPORAL_BINARY'])
      expect(found.sentence).toContain(remedy);
  });

  test('names the place from which the first start downloads Temporal', async () => {
    await using folder = await temporaryFolder();
    const archive = { archiveUrl: 'https://temporal.example/archive.tar.gz', fileToExtract: 'temporal' };
    await using downloads = await listenHttp((_req, res) => void res.end(JSON.stringify(archive)));
    const config = { dataDir: join(folder.path, 'data'), temporalBinary: null };
    const found = await checkTemporal(config, { PATH: folder.path, HOME: folder.path }, downloads.url);
    const sentence = `The first start downloads 44 MB from ${new URL(downloads.url).host}.`;
    expect(found).toMatchObject({ state: 'advice', sentence });
  });

  test.each([
    ['off', 'good', 'no text is read'],
    ['/nowhere/tesseract', 'advice', 'install it'],
  ] as const)('says what becomes of scans with BURNISH_TESSERACT=%s', async (tesseract, state, sentence) => {
    const found = await checkText({ tesseract, sandbox: 'auto' });
    expect(found).toEqual({ subject: 'Text', state, sentence: expect.stringContaining(sentence) });
  });

  test('prints the same as JSON', async () => {
    await using folder = await temporaryFolder();
    const env = { ...(await settings(folder.path)), BURNISH_DATA_DIR: folder.path };
    const { lines } = await examine(readConfig(env), env, { json: true });
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      ready: true,
      findings: expect.arrayContaining([{ subject: 'Fonts', state: 'good', sentence: expect.any(String) }]),
    });
  });

  test('names a port of another program, and its setting', async () => {
    await using other = await listenHttp((_req, res) => void res.end());
    await using folder = await temporaryFolder();
    const { port } = new URL(other.url);
    const { isWell, lines } = await ask({
      ...(await settings(folder.path)),
      BURNISH_PORT: port,
      BURNISH_DATA_DIR: folder.path,
    });
    expect(isWell).toBe(false);
    expect(lines.find((line) => line.includes(`Port ${port}`))).toBe(
      `FAULT  Port ${port}  Another program uses it. Stop that program, or set BURNISH_PORT to another port.`,
    );
  });

  test('says what a start would say about servers that do not answer', async () => {
    await using folder = await temporaryFolder();
    const nowhere = `127.0.0.1:${await testPort()}`;
    const { isWell, lines } = await ask({
      ...(await settings(folder.path)),
      BURNISH_DATA_DIR: folder.path,
      TEMPORAL_ADDRESS: nowhere,
      DATABASE_URL: `postgres://user:secret@${nowhere}/burnish`,
    });
    expect(isWell).toBe(false);
    const faults = lines.filter((line) => line.startsWith('FAULT'));
    expect(faults).toEqual([
      expect.stringContaining(`Temporal cannot be reached at ${nowhere}: check TEMPORAL_ADDRESS`),
      expect.stringContaining(`PostgreSQL at ${nowhere}/burnish cannot be reached`),
    ]);
    expect(lines.join()).not.toContain('secret');
    // An external server has ports of its own.
    expect(lines.filter((line) => line.includes('Port '))).toHaveLength(1);
  });

  test('advises the usual Node.js, and finds a clock at its start value', () => {
    expect(checkNode('22.11.0')).toMatchObject({
      state: 'advice',
      sentence: expect.stringContaining('Use Node.js 24'),
    });
    expect(checkNode('24.1.0').state).toBe('good');
    expect(checkOwnClock(0)).toMatchObject({ state: 'fault', sentence: expect.stringContaining('1970-01-01') });
    expect(checkOwnClock(Date.now()).state).toBe('good');
  });

  test('finds every font of reports in this installation, and names those that another lacks', async () => {
    expect(await missingFonts()).toEqual([]);
    expect(checkFonts(['NotoSans-Regular.ttf'])).toMatchObject({
      state: 'fault',
      sentence: 'Reports need NotoSans-Regular.ttf. Install Burnish again.',
    });
  });

  testUnless(process.getuid?.() === 0 ? 'a user other than root' : undefined)(
    'names a folder that this user cannot write to',
    async () => {
      await using folder = await temporaryFolder();
      const locked = join(folder.path, 'locked');
      await mkdir(locked);
      await chmod(locked, 0o500);
      const found = await checkDisk('Disk', join(locked, 'data'), 'BURNISH_DATA_DIR');
      expect(found).toMatchObject({ state: 'fault', sentence: expect.stringContaining(`cannot write to ${locked}`) });
    },
  );
});
