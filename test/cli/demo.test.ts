import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runDemo } from '../../src/cli/demo/demo.ts';
import { API_KEY, END, startFakeApi, type Script } from '../support/fake-api.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recorder } from './support.ts';

const states = `id: 1\nevent: upload\ndata: ${JSON.stringify({ status: 'UPLOAD_FINISHED', subStatus: null, filesize: 85_130, width: 720, height: 1079 })}\n\n`;

async function demo(folder: string, script: Script, json = false) {
  await using api = await startFakeApi(() => ({ streams: [states + END], ...script }));
  const [out, errors] = [recorder(), recorder()];
  const exit = await runDemo(
    { ...api, apiKey: API_KEY, temporalUiUrl: 'http://localhost:8233', namespace: 'default', folder, json },
    out,
    errors,
  );
  return { exit, text: out.text(), errors: errors.text(), api };
}

test('the demo prints each state with its time, names the pages that compare them, saves the results, and exits with 0', async () => {
  await using folder = await temporaryFolder();
  const { exit, text, api } = await demo(folder.path, {});
  expect(text).toMatch(/\d\d:\d\d:\d\d\.\d{3} {2}dark-room\.jpg {2}UPLOAD_FINISHED +720×1079 pixels, 85\.1 kB\n/);
  expect(text).toContain('Credits before: 996 left');
  expect(text).toContain('Credits after: 996 left');
  expect(text).toMatch(/http:\/\/localhost:8233\/namespaces\/default\/workflows\/upload%2Fupl_\d\n/);
  // An enhancement has no workflow of its own.
  expect(text).not.toContain('workflows/enhancement');
  expect(exit).toBe(0);
  expect((await readFile(join(folder.path, 'document.pdf'))).length).toBe(30_000);
  for (const name of ['dark-room.jpg', 'page.jpg', 'document.pdf'])
    expect(text).toMatch(new RegExp(`\\n {2}${name}: ${api.baseUrl}/uploads/upl_\\d\\n`));
});

test('the demo prints its results as one line of JSON, and the states beside it', async () => {
  await using folder = await temporaryFolder();
  const { exit, text, errors } = await demo(folder.path, {}, true);
  expect(JSON.parse(text)).toMatchObject({
    results: [
      { file: 'dark-room.jpg', savedAs: expect.stringMatching(/dark-room\.jpg$/), enhancement: { status: 'FINISHED' } },
      { file: 'page.jpg' },
      { file: 'document.pdf' },
    ],
  });
  expect([exit, text.trim().includes('\n')]).toEqual([0, false]);
  expect(errors).toContain('UPLOAD_FINISHED');
});

test('a second run of the demo says that it used stored results', async () => {
  await using folder = await temporaryFolder();
  const { text } = await demo(folder.path, { reusedFrom: 'enh_before' });
  expect(text).toContain('dark-room.jpg: the stored result of an equal enhancement was reused, at 0 credits.');
});

test('a failed enhancement ends the demo with exit code 1 and a sentence', async () => {
  await using folder = await temporaryFolder();
  const { exit, text } = await demo(folder.path, {
    status: 'ERROR',
    errorCode: 'CORRUPT_FILE',
    errorDetail: 'The file is damaged.',
  });
  expect(exit).toBe(1);
  expect(text).toContain('The demo failed: dark-room.jpg: The file is damaged. (CORRUPT_FILE)');
});
