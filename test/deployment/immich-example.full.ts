import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { listenHttp } from '../support/local-server.ts';
import { repositoryRoot } from '../support/repository.ts';

const SCRIPT = join(repositoryRoot, 'examples', 'immich', 'enhance-album.py');

/** Pictures of the album by id. Burnish fails at `bad`, and finds nothing to change in `good`. */
const ALBUM = ['better', 'bad', 'good', 'stacked'];

/** Runs the script against an Immich with an album of four pictures on two pages, and an instance. */
async function enhanceAlbum() {
  const received: string[] = [];
  const keys = new Set<string>();
  const asked = new Map<string, string>();
  await using server = await listenHttp((req, res) => {
    void buffer(req).then((body) => {
      const { pathname, searchParams } = new URL(req.url!, 'http://x');
      const json = (value: unknown): void =>
        void res.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
      const text = body.toString('latin1');
      const request = `${req.method} ${pathname}`;
      if (req.headers['x-api-key'] === 'immich-key') received.push(request);
      if (request === 'POST /api/search/metadata') {
        const { page, albumIds } = JSON.parse(text) as { page: number; albumIds: string[] };
        expect(albumIds).toEqual(['album']);
        const items = ALBUM.slice(2 * page - 2, 2 * page).map((id) => ({
          id,
          originalFileName: `${id}.jpg`,
          fileCreatedAt: '2026-01-01T00:00:00.000Z',
          fileModifiedAt: '2026-01-02T00:00:00.000Z',
          stack: id === 'stacked' ? { id: 'stack' } : null,
        }));
        return json({ assets: { items, nextPage: page === 1 ? '2' : null } });
      }
      const [, original] = /^\/api\/assets\/(\w+)\/original$/.exec(pathname) ?? [];
      if (original) return res.end(`bytes of ${original}`);
      if (request === 'POST /v1/uploads') {
        const name = searchParams.get('filename')!.replace('.jpg', '');
        expect(text).toBe(`bytes of ${name}`);
        keys.add(String(req.headers['idempotency-key']));
        asked.set(name, searchParams.get('enhancements')!);
        const end =
          name === 'bad'
            ? { status: 'ERROR', errorDetail: 'The file is damaged.' }
            : { status: 'FINISHED', filename: `${name}-1.jpg`, fullUrl: `${server.url}/files/${name}` };
        return json({ id: `upl_${name}`, status: 'UPLOAD_FINISHED', enhancements: [end] });
      }
      if (pathname === '/files/better') return res.end('better bytes');
      if (pathname === '/files/good') return res.end('bytes of good');
      received.push(text);
      return json({ id: 'new' });
    });
  });
  const env = { ...process.env, BURNISH: server.url, KEY: 'key', IMMICH: `${server.url}/`, IMMICH_KEY: 'immich-key' };
  const run = promisify(execFile)('python3', [SCRIPT, 'album'], { env });
  const { code, stdout, stderr } = await run.then(
    (said) => ({ code: 0, ...said }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code, stdout, stderr, received, keys, asked };
}

test('the script for Immich stacks each result on its original, and leaves the others as they are', async () => {
  const { code, stdout, stderr, received, keys, asked } = await enhanceAlbum();
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: 'better.jpg is enhanced\ngood.jpg needs no change\n',
    stderr: 'bad.jpg stays as it is: The file is damaged.\n',
  });
  expect(received.filter((request) => request === 'POST /api/stacks')).toHaveLength(1);
  expect(received).toContain('{"assetIds": ["new", "better"]}');
  const form = received.find((text) => text.includes('form-data'))!;
  expect(form).toContain('name="assetData"; filename="better-1.jpg"\r\n\r\nbetter bytes\r\n--');
  expect(form).toContain('name="fileCreatedAt"\r\n\r\n2026-01-01T00:00:00.000Z\r\n');
  expect([...asked.keys()]).toEqual(['better', 'bad', 'good']);
  expect(new Set(asked.values())).toEqual(new Set(['[{"mode": "ENHANCE"}]']));
  expect(keys.size).toBe(3);
});
