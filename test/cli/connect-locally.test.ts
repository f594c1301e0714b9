import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectLocally } from '../../src/cli/connect-locally.ts';
import { listenHttp } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const before = { ...process.env };
const withoutSettings = Object.fromEntries(Object.entries(before).filter(([name]) => !name.startsWith('BURNISH_')));
beforeEach(() => void (process.env = { ...withoutSettings }));
afterEach(() => void (process.env = { ...before }));

const startsNone = (): never => {
  throw new Error('A second instance would start.');
};

/** An instance whose readiness answers with these statuses in turn, and then with the last one again. */
async function instance(...statuses: number[]) {
  let asked = 0;
  const server = await listenHttp((_, response) => {
    response.statusCode = statuses[Math.min(asked, statuses.length - 1)]!;
    asked += 1;
    response.end();
  });
  return { url: server.url, asked: () => asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

it('a command waits for the instance of this machine that has trouble, and starts no second one', async () => {
  await using folder = await temporaryFolder();
  await using running = await instance(503, 200);
  const access = { baseUrl: running.url, apiKey: 'key', temporalUiUrl: null, namespace: 'default' };
  await writeFile(join(folder.path, 'local-access.json'), JSON.stringify(access));
  process.env['BURNISH_DATA_DIR'] = folder.path;
  expect(await connectLocally({}, startsNone)).toMatchObject({ baseUrl: running.url, apiKey: 'key', isOwn: false });
  expect(running.asked()).toBe(2);
});

it('a command waits for no address where something else answers, or nothing', async () => {
  await using other = await instance(404);
  await expect(connectLocally({ url: other.url, apiKey: 'key' }, startsNone)).rejects.toThrow('No instance of Burnish');
  expect(other.asked()).toBe(1);
  const gone = await instance(200);
  await gone[Symbol.asyncDispose]();
  await expect(connectLocally({ url: gone.url, apiKey: 'key' }, startsNone)).rejects.toThrow('No instance of Burnish');
});
