import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Failure } from '@burnish/contract';
import { checked } from '@burnish/contract/schemas';
import type { AllOperatorCommands } from '../api/operator/all-operator-commands.ts';
import { COMMAND_ARGUMENTS } from '../api/operator/command-arguments.ts';
import { isServed, operatorFolder, operatorSocketPath } from './operator-socket.ts';

const MAX_BODY_BYTES = 10_000;

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
        const known = error instanceof Failure;
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
  return await command(...(checked(COMMAND_ARGUMENTS[name], given, 'The command') as unknown[]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('BAD_USER_INPUT', { detail: 'The command cannot be read.', cause });
  }
}

function isCommand(name: string): name is keyof AllOperatorCommands {
  return Object.hasOwn(COMMAND_ARGUMENTS, name);
}

function describeError(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return 'The command failed. The log of the instance contains the reason.';
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
}
