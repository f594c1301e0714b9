import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FAILURES } from '@burnish/contract';
import { describeError } from '../../src/cli/describe-error.ts';
import { runEnhance } from '../../src/cli/enhance/enhance.ts';
import { StartupError } from '../../src/domain/startup-error.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recorder } from './support.ts';

const systemError = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: something, mkdir`), { code, ...(path === undefined ? {} : { path }) });

describe('the reason of a failed command', () => {
  test.each([
    ['ENOSPC', 'the disk is full. Free some space, or'],
    ['EDQUOT', 'the disk is full for this user. Free some space, or'],
    ['EACCES', 'this user has no write permission there. Correct that, or'],
    ['EROFS', 'its file system is read-only. Correct that, or'],
    ['ENOTDIR', 'a file exists at the path of the folder. Correct that, or'],
  ])('for a file is given with its remedy: %s', (code, reason) => {
    const text = `cannot be written: ${reason} name another folder by BURNISH_DATA_DIR or --out.`;
    expect(describeError(systemError(code, '/data/files'))).toBe(`/data/files ${text}`);
    expect(describeError(systemError(code))).toBe(`A file in the data folder ${text}`);
  });

  test('is shown alone if the user can correct it, and with its stack if it is a defect', () => {
    expect(describeError(new StartupError('Set it.'))).toBe('Set it.');
    expect(describeError(new TypeError('x is not a function'))).toMatch(/^TypeError: x is not a function\n {4}at /);
    expect(describeError({ odd: 1 })).toBe('{ odd: 1 }');
  });
});

describe('the remedy of a failure', () => {
  const { sentence, remedy } = FAILURES.WRONG_PASSWORD;

  test('is printed once for a file that the instance refuses', async () => {
    const body = JSON.stringify({ code: 'WRONG_PASSWORD', detail: sentence, remedy });
    const server = createServer((_request, response) => {
      response.writeHead(422, { 'Content-Type': 'application/problem+json' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'scan.pdf');
    await writeFile(file, Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(25_000, 32)]));
    const [out, err] = [recorder(), recorder()];
    const connect = () => Promise.resolve({ baseUrl, apiKey: 'a key', close: () => Promise.resolve() });
    expect(await runEnhance({ files: [file], out: folder.path }, { connect, out, err })).toBe(1);
    server.close();
    expect(out.text().split(remedy)).toHaveLength(2);
  });
});
