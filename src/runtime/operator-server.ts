import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { AllOperatorCommands } from '../api/operator/all-operator-commands.ts';
import { newBucketBody } from '../api/operator/bucket-operations.ts';
import { accountChangeBody, newAccountBody, planBody, planId, topUpBody } from '../api/operator/operator-schemas.ts';
import { ENDPOINT_SCOPES } from '../domain/accounts/nexus-endpoint.ts';
import { SCOPES } from '../domain/accounts/scopes.ts';
import { Failure } from '../domain/failures.ts';
import { isServed, operatorFolder, operatorSocketPath } from './operator-socket.ts';

const MAX_BODY_BYTES = 10_000;

const id = z.string().max(200);

const ARGUMENTS = {
  topUp: z.tuple([z.strictObject({ credits: z.number(), reference: z.string() })]),
  credits: z.tuple([]),
  ledger: z.tuple([z.strictObject({ limit: z.number(), after: z.string().exactOptional() })]),
  listKeys: z.tuple([z.strictObject({ includeInternal: z.boolean() }).optional()]),
  createKey: z.tuple([
    z.string(),
    z
      .strictObject({
        scopes: z.array(z.enum(SCOPES)).max(20).optional(),
        expiresAt: z.string().optional(),
        test: z.boolean().optional(),
      })
      .optional(),
  ]),
  deleteKey: z.tuple([z.string()]),
  signInLink: z.tuple([]),
  rotateSigningKey: z.tuple([z.boolean()]),
  operatorKey: z.tuple([]),
  createAccount: z.tuple([newAccountBody]),
  listAccounts: z.tuple([z.strictObject({ limit: z.number(), after: z.string().max(100).optional() })]),
  showAccount: z.tuple([id]),
  changeAccount: z.tuple([id, accountChangeBody]),
  grantCredits: z.tuple([id, topUpBody]),
  suspendAccount: z.tuple([id]),
  resumeAccount: z.tuple([id]),
  deleteAccount: z.tuple([id]),
  createBucket: z.tuple([id, newBucketBody]),
  listBuckets: z.tuple([id]),
  deleteBucket: z.tuple([id, id]),
  createEndpoint: z.tuple([
    z.strictObject({ name: z.string(), accountId: id, scopes: z.array(z.enum(ENDPOINT_SCOPES)).max(20).optional() }),
  ]),
  rotateEndpointToken: z.tuple([id, z.boolean()]),
  listEndpoints: z.tuple([]),
  deleteEndpoint: z.tuple([id]),
  checkStorage: z.tuple([z.strictObject({ after: id.optional(), bytesPerSecond: z.number().positive() })]),
  workers: z.tuple([]),
  listPlans: z.tuple([]),
  putPlan: z.tuple([planBody.extend({ id: planId })]),
  usage: z.tuple([z.strictObject({ accountId: id.optional(), since: z.iso.datetime(), until: z.iso.datetime() })]),
  auditLog: z.tuple([
    z.strictObject({
      limit: z.number(),
      after: z.string().max(500).optional(),
      since: z.iso.datetime().optional(),
      until: z.iso.datetime().optional(),
    }),
  ]),
  promoteBuild: z.tuple([z.strictObject({ build: z.string(), percent: z.int().min(1).max(99).optional() })]),
  buildWork: z.tuple([z.string()]),
} satisfies Record<keyof AllOperatorCommands, z.ZodType>;

export interface OperatorListener {
  close(): Promise<void>;
}

/**
 * Listens for the operator's commands on a socket in the data folder. Only the folder's owner can reach it, and that user can
 * also read the database. If another gateway of the folder already listens, it serves both.
 */
export async function serveOperator(
  dataDir: string,
  commands: AllOperatorCommands,
  log: { warn(facts: object, message: string): void; error(facts: object, message: string): void },
): Promise<OperatorListener> {
  const path = operatorSocketPath(dataDir);
  const nothing = { close: () => Promise.resolve() };
  if (path === undefined) {
    log.warn({}, 'the path of the data folder is too long for a socket: commands such as `credits` do not work');
    return nothing;
  }
  await mkdir(operatorFolder(dataDir), { recursive: true, mode: 0o700 });
  if (await isServed(path)) return nothing;
  await rm(path, { force: true });

  const server = createServer((request, response) => {
    answer(commands, request).then(
      (result) => send(response, 200, result ?? null),
      (error: unknown) => {
        const known = error instanceof Failure || error instanceof z.ZodError;
        if (!known) log.error({ err: error }, 'operator command failed');
        send(response, known ? 400 : 500, { message: describeError(error) });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

/** `POST /<command>` with the arguments as a JSON list. */
async function answer(commands: AllOperatorCommands, request: IncomingMessage): Promise<unknown> {
  const name = (request.url ?? '').slice(1);
  if (request.method !== 'POST' || !isCommand(name)) throw new Failure('NOT_FOUND', { detail: 'No such command.' });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new Failure('BAD_USER_INPUT', { detail: 'The command is too long.' });
    chunks.push(chunk);
  }
  const given = parseJson(Buffer.concat(chunks).toString());
  const command = commands[name] as (...args: unknown[]) => Promise<unknown>;
  return await command(...(ARGUMENTS[name].parse(given) as unknown[]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('BAD_USER_INPUT', { detail: 'The command cannot be read.', cause });
  }
}

function isCommand(name: string): name is keyof AllOperatorCommands {
  return Object.hasOwn(ARGUMENTS, name);
}

function describeError(error: unknown): string {
  if (error instanceof Failure) return error.message;
  if (error instanceof z.ZodError) return `The command is not valid: ${describeIssue(error)}.`;
  return 'The command failed. The log of the instance contains the reason.';
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  const field = issue!.path.slice(1).join('.');
  return field === '' ? issue!.message : `${field}: ${issue!.message}`;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
}
