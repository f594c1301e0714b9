import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { listenHttp } from '../support/local-server.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = join(repositoryRoot, 'examples', 'paperless', 'pre-consume.py');
const SCAN = 'a scan';

/** Runs the script as paperless-ngx does, against an instance that answers with this end. */
async function consume(end: object, file = 'a clean scan') {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'letter 1.pdf');
  await writeFile(path, SCAN);
  const received: string[] = [];
  const upload = { id: 'upl_1', status: 'UPLOAD_FINISHED', mimetype: 'application/pdf' };
  await using instance = await listenHttp((req, res) => {
    void buffer(req).then((body) => {
      received.push(`${req.method} ${decodeURIComponent(req.url!)} ${body.toString()}`.trim());
      if (req.url === '/result') return res.end(file);
      const enhancement =
        req.method === 'POST' ? { status: 'PROCESSING' } : { fullUrl: `${instance.url}/result`, ...end };
      res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ ...upload, enhancements: [enhancement] }));
    });
  });
  const env = { ...process.env, BURNISH: instance.url, KEY: 'key', DOCUMENT_WORKING_PATH: path };
  const { stderr } = await promisify(execFile)('python3', [SCRIPT], { env });
  return { document: await readFile(path, 'utf8'), files: await readdir(folder.path), stderr, received };
}

test('the hook of paperless-ngx replaces a scan by its clean result', async () => {
  const { received, ...rest } = await consume({ status: 'FINISHED', mimetype: 'application/pdf' });
  expect(rest).toEqual({ document: 'a clean scan', files: ['letter 1.pdf'], stderr: '' });
  expect(received[0]).toBe('POST /v1/uploads?filename=letter+1.pdf&enhancements=[{"mode":+"DOCUMENT"}] a scan');
});

test.each([
  ['an error', { status: 'ERROR', errorDetail: 'The file is damaged.' }, 'The file is damaged.'],
  ['another type', { status: 'FINISHED', mimetype: 'image/webp' }, 'another type: image/webp'],
])('the hook of paperless-ngx leaves a scan as it is after %s', async (_what, end, sentence) => {
  const { document, files, stderr } = await consume(end);
  expect({ document, files }).toEqual({ document: SCAN, files: ['letter 1.pdf'] });
  expect(stderr).toContain(sentence);
});
