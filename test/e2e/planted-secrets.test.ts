import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { sql } from 'drizzle-orm';
import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/database/open.ts';
import { createErasure } from '../../src/database/uploads/erase-uploads.ts';
import { referenceAttribute } from '../../src/domain/temporal/search-attributes.ts';
import { expectNamed } from '../support/expect-named.ts';
import { type InputField, inputFields } from '../support/input-fields.ts';
import { repositoryRoot } from '../support/repository.ts';
import { listenHttp } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import type { Api } from './api.ts';
import { photo } from './files.ts';
import { type Instance, startInstance } from './instance.ts';

const OPERATOR_KEY = 'operator-key-of-planted-secrets';
const BUSY_MS = 600_000;
const DAY_SECONDS = 86_400;

/** Operations whose words belong to an upload, and end with it. */
const OF_UPLOAD = /^(createUpload|createSignedUpload|createResumableUpload|createEnhancements)$/;

/** A word for each field. Nothing else contains it, and no encoding of texts changes it. */
const wordOf = ({ operationId, place, names }: InputField): string =>
  `planted${createHash('sha256')
    .update([operationId, place, ...names].join('\n'))
    .digest('hex')
    .slice(0, 16)}`;
const keyOf = (field: InputField): string => `key-${wordOf({ ...field, place: `key of ${field.place}` })}`;
const nameOf = ({ operationId, place, names }: InputField): string => [operationId, place, ...names].join(' ');

/** Secrets: addresses of callers and passwords. */
const isSecret = ({ format, names }: InputField): boolean =>
  format === 'uri' || format === 'password' || names.includes('X-Pdf-Password');

/** A text that is a parameter of the work, and stays with its price. */
const PARAMETER = 'textLanguages';

/** Bodies that an operation accepts, to which each of its fields is added in turn. */
const bodiesOf = (files: string): Record<string, object> => ({
  createUpload: { source: { url: `${files}/plain/document.pdf` } },
  createSignedUpload: { filesize: 30_000, mimetype: 'application/pdf', filename: 'document.pdf' },
  createEnhancements: { enhancements: [{}] },
  estimateEnhancements: { enhancements: [{}] },
  tryEnhancements: { enhancements: [{}] },
  createBatch: { enhancements: [{}], samples: 20 },
  addBatchItems: { url: `${files}/plain/photo.jpg` },
  createWebhook: { url: `${files}/refused/hook` },
  createApiKey: { name: 'a key', scopes: ['read'] },
  createAccount: { name: 'an account' },
  grantCredits: { credits: 1, reference: 'a top-up' },
  createBucket: {
    ...{ name: 'results', url: 's3://print-shop/burnish', endpoint: `${files}/s3`, region: 'eu-central-1' },
    ...{ accessKeyId: 'an access key', secretAccessKey: 'a secret access key' },
  },
});

/** A copy of a body with a value at a place in it. */
function withValue(body: unknown, [name, ...rest]: readonly string[], value: string): unknown {
  if (name === undefined) return value;
  if (name === '0') return [withValue((body as unknown[] | undefined)?.[0], rest, value)];
  const key = name === '*' ? 'planted' : name;
  return { ...(body as object), [key]: withValue((body as Record<string, unknown> | undefined)?.[key], rest, value) };
}

/** A server of files and of receivers: each GET is a photograph or a PDF, and each PUT and POST is accepted. */
async function serveFiles() {
  const [file, pdf] = [await photo(), await readFile(join(repositoryRoot, 'samples', 'document.pdf'))];
  const got: string[] = [];
  const server = await listenHttp((req, res) => {
    got.push(`${req.method} ${req.url}`);
    req.resume().on('end', () => {
      if (req.method === 'GET') res.writeHead(200).end(req.url?.endsWith('.pdf') ? pdf : file);
      else res.writeHead(200).end();
    });
  });
  return { ...server, file, pdf, got };
}

/** Sends every field of the interface with a word in it. @returns the fields of accepted requests */
async function plant(
  { url, apiKey, api }: Instance,
  files: { url: string; file: Buffer; pdf: Buffer },
): Promise<InputField[]> {
  const bodies = bodiesOf(files.url);
  const { body: upload } = await api.upload(files.file);
  await api.settled(upload.id);
  const idOf = async (path: string, body: object) => (await api.call<{ id: string }>('POST', path, { body })).body.id;
  const batchId = await idOf('/v1/batches', bodies['createBatch']!);
  const webhookId = await idOf('/v1/webhooks', bodies['createWebhook']!);
  const ids: Record<string, string> = {
    '/v1/uploads/{id}': upload.id,
    '/v1/batches/{id}': batchId,
    '/v1/webhooks/{id}': webhookId,
  };
  const accepted: InputField[] = [];
  for (const field of inputFields) {
    const { operationId, method, path, place, names, format } = field;
    // Bytes are no text, and streams do not end.
    if (format === 'binary' || operationId.startsWith('follow')) continue;
    const word = wordOf(field);
    const value = format === 'uri' ? `${files.url}/${word}/photo.jpg?token=${word}&key=1#${word}` : word;
    const owner = Object.keys(ids).find((each) => path.startsWith(each));
    const target = new URL(
      owner === undefined ? path : path.replace(owner, `${owner.replace('{id}', ids[owner]!)}`),
      url,
    );
    const isOfOperator = path.startsWith('/v1/operator');
    const headers: Record<string, string> = {
      'idempotency-key': keyOf(field),
      ...(operationId === 'createResumableUpload' && TUS),
      ...(isOfOperator ? { authorization: `Bearer ${OPERATOR_KEY}` } : { 'x-api-key': apiKey }),
    };
    const asText = ({ operationId: id, names: [first] }: InputField) =>
      id === 'createUpload' && first === 'customMetadata' ? JSON.stringify({ planted: word }) : value;
    let body: string | FormData | Uint8Array<ArrayBuffer> | undefined;
    if (place === 'query') target.searchParams.set(names[0]!, asText(field));
    if (place === 'header') headers[names[0]!] = value;
    if (place === 'multipart/form-data') {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(files.pdf)]), 'document.pdf');
      form.set(names[0]!, asText(field));
      body = form;
    } else if (operationId === 'createUpload' && (place === 'query' || place === 'header')) {
      headers['content-type'] = 'application/octet-stream';
      body = new Uint8Array(files.pdf);
    } else if (place.includes('json')) {
      headers['content-type'] = place;
      body = JSON.stringify(withValue(bodies[operationId] ?? {}, names, value));
    }
    const answer = await fetch(target, { method, headers, ...(body === undefined ? {} : { body }) });
    await answer.arrayBuffer();
    expectNamed(answer.status, nameOf(field)).toBeLessThan(500);
    if (answer.ok) accepted.push(field);
    // The same fields, as the metadata of a resumable upload.
    if (operationId === 'createUpload' && place === 'query') {
      const metadata = `filename ${toBase64('photo.jpg')},${names[0]} ${toBase64(asText(field))}`;
      const tus = { ...headers, ...TUS, 'upload-metadata': metadata };
      await fetch(new URL('/v1/tus', url), {
        method: 'POST',
        headers: { ...tus, 'idempotency-key': `tus-${keyOf(field)}` },
      });
    }
  }
  return accepted;
}

const TUS = {
  ...{ 'tus-resumable': '1.0.0', 'upload-length': '30000' },
  'upload-metadata': `filetype ${Buffer.from('application/pdf').toString('base64')}`,
};

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** A word as it may lie in bytes: as it is, or within base64, which depends on what stands before it. */
const formsOf = (word: string): string[] => [
  word,
  ...[0, 1, 2].map((before) => {
    const text = toBase64('\0'.repeat(before) + word);
    return text.slice(before === 0 ? 0 : 4, -4).replace(/=+$/, '');
  }),
];

/** The names of the fields whose words stand in a text. */
const foundIn = (text: string, fields: readonly InputField[]): string[] =>
  fields.filter((field) => formsOf(wordOf(field)).some((form) => text.includes(form))).map(nameOf);

/** Every row of every table as text, by the name of the table. */
async function rowsOf(dataDir: string): Promise<Map<string, string>> {
  const { orm, close } = await openDatabase({ dataDir });
  try {
    const { rows: tables } = await orm.execute<{ name: string }>(
      sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const texts = new Map<string, string>();
    for (const { name } of tables) {
      const { rows } = await orm.execute(sql`select t::text as row from ${sql.identifier(name)} as t`);
      texts.set(name, rows.map(({ row }) => String(row)).join('\n'));
    }
    return texts;
  } finally {
    await close();
  }
}

/** Every file below a folder, by its path. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = new Map<string, string>();
  for (const each of entries.filter((entry) => entry.isFile())) {
    const path = join(each.parentPath, each.name);
    texts.set(path, await readFile(path, 'latin1'));
  }
  return texts;
}

/** The references of callers that lists of upload workflows show. */
async function referencesIn(port: number): Promise<string[]> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    const found: string[] = [];
    let ended = 0;
    for await (const each of new Client({ connection }).workflow.list({ query: 'WorkflowType = "upload"' })) {
      if (each.status.name === 'COMPLETED') ended += 1;
      found.push(...(each.typedSearchAttributes.get(referenceAttribute) ?? []), ...Object.keys(each.memo ?? {}));
    }
    expect(ended).toBeGreaterThan(5);
    // docs/contract.md says how long closed histories stay.
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(DAY_SECONDS);
    return found;
  } finally {
    await connection.close();
  }
}

/** Every page of a list. */
async function listed<Item>(api: Api, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: { items: Item[]; next: string | null } = (
      await api.get<{ items: Item[]; next: string | null }>(`${path}?limit=100${after && `&after=${after}`}`)
    ).body;
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

test(
  'a secret of a caller, in whatever field, is in no row, file, history or line of the log',
  async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    await using files = await serveFiles();
    const env = {
      BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
      BURNISH_OPERATOR_KEY: OPERATOR_KEY,
      BURNISH_LOG_LEVEL: 'debug',
    };
    await using instance = await startInstance({ dataDir, env });
    const accepted = await plant(instance, files);
    // What callers gave has its effect: it is downloaded, delivered and written.
    const effects = [/^GET .*planted/, /^POST .*planted/, /^PUT .*planted/];
    await until(async () => {
      const { body } = await instance.api.get<{ items: { status: string }[] }>('/v1/uploads?limit=100');
      const isReceived = body.items.every(({ status }) => status !== 'UPLOAD_PROCESSING');
      return (isReceived && effects.every((effect) => files.got.some((line) => effect.test(line)))) || undefined;
    });
    expect(await instance.stop()).toBe(0);

    const secrets = inputFields.filter(isSecret);
    // A secret that nothing accepted proves nothing. Both of these need more: an S3 service, and an encrypted PDF.
    const refused = secrets.filter((field) => !accepted.includes(field)).map(({ operationId }) => operationId);
    expect(refused.filter((id) => id !== 'createBucket' && id !== 'analyzeUpload')).toEqual([]);
    const tables = await rowsOf(dataDir);
    expect(tables.get('upload_starts')).not.toBe('');
    for (const [name, text] of tables) expectNamed(foundIn(text, secrets), name).toEqual([]);
    for (const [path, text] of await filesOf(dataDir)) expectNamed(foundIn(text, secrets), path).toEqual([]);
    const all = inputFields.filter(({ format }) => format !== 'binary');
    expect(foundIn(instance.output(), all)).toEqual([]);
    // After the deletion of the uploads, whatever their callers gave is gone.
    const given = all.filter(({ operationId, names }) => OF_UPLOAD.test(operationId) && names.at(-1) !== PARAMETER);
    expect(foundIn([...tables.values()].join('\n'), given).length).toBeGreaterThan(5);
    const { apiKey } = instance;
    await using again = await startInstance({ dataDir, env, apiKey });
    for (const { id } of await listed<{ id: string }>(again.api, '/v1/uploads'))
      expect((await again.api.call('DELETE', `/v1/uploads/${id}`)).status).toBeLessThan(300);
    await until(async () => {
      const ends = await listed<{ status: string }>(again.api, '/v1/webhook-deliveries');
      return ends.every(({ status }) => status !== 'PENDING') || undefined;
    });
    expect(await referencesIn(again.ports.temporal)).toEqual([]);
    expect(await again.stop()).toBe(0);
    const { orm, close } = await openDatabase({ dataDir });
    expect(await createErasure({ orm }).sweep()).toBeGreaterThan(5);
    await close();
    for (const [name, text] of await rowsOf(dataDir)) expectNamed(foundIn(text, given), name).toEqual([]);
    expect(foundIn(again.output(), all)).toEqual([]);
  },
  BUSY_MS,
);
