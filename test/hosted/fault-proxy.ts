import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export type Fault =
  /** The target acts, and its response never arrives. */
  | { kind: 'drop' }
  /** The target acts, and its response breaks off in the middle. */
  | { kind: 'cut' }
  /** The target receives nothing: the connection breaks after the proxy has read the request. */
  | { kind: 'reset' }
  /** The target receives nothing: the proxy sends this response. */
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** The target acts, and the proxy sends this response instead. */
  | { kind: 'replace'; status: number; body: string }
  /** The target receives the request later. */
  | { kind: 'delay'; ms: number }
  /** The target acts, and its response arrives later. */
  | { kind: 'slow'; ms: number }
  /** The target receives the request twice. */
  | { kind: 'double' };

export interface ProxiedCall {
  /** Operation name of GraphQL, `PutFile`, `DownloadFile`, `Webhook`, or method and path */
  operation: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Fault of this call; undefined: none */
  fault: Fault | undefined;
  /** Time of arrival on the clock of this process, milliseconds */
  atMs: number;
  /** Response of the target; undefined without a request to the target, or before its response */
  answered: { status: number; body: string } | undefined;
}

export interface FaultProxy {
  url: string;
  port: number;
  /** Every call so far, in order */
  calls: ProxiedCall[];
  /** Calls of an operation with a response of the target */
  acted(operation: string): ProxiedCall[];
  /** Injects the fault into the next `times` calls of an operation (`*`: any), after faults requested earlier. */
  next(operation: string, fault: Fault, times?: number): void;
  /** Injects the fault into all calls of an operation, until the returned function is called. */
  always(operation: string, fault: Fault): () => void;
  /** Forgets the faults that no call has met. */
  clear(): void;
  /** Refuses connections until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a proxy that injects faults between two instances. @param target returns the address of the target of each call */
export async function faultProxy(target: () => string): Promise<FaultProxy> {
  const calls: ProxiedCall[] = [];
  const planned: { operation: string; fault: Fault; left: number }[] = [];

  function takeFault(operation: string): Fault | undefined {
    const plan = planned.find((each) => each.left > 0 && (each.operation === operation || each.operation === '*'));
    if (plan === undefined) return undefined;
    plan.left -= 1;
    return plan.fault;
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req);
    const operation = operationOf(req, body);
    const fault = takeFault(operation);
    const isText = operation !== 'PutFile';
    const call: ProxiedCall = {
      operation,
      headers: req.headers,
      body: isText ? body.toString('utf8') : '',
      fault,
      atMs: performance.now(),
      answered: undefined,
    };
    calls.push(call);
    if (fault?.kind === 'reset') return void res.destroy();
    if (fault?.kind === 'status') return void res.writeHead(fault.status, fault.headers).end(fault.body);
    if (fault?.kind === 'delay') await delay(fault.ms);
    const answer = await forward(target(), req, body);
    if (fault?.kind === 'double') await forward(target(), req, body);
    call.answered = { status: answer.status, body: operation === 'DownloadFile' ? '' : answer.body.toString('utf8') };
    if (fault?.kind === 'slow') await delay(fault.ms);
    if (fault?.kind === 'drop') return void res.destroy();
    if (fault?.kind === 'replace') return void res.writeHead(fault.status).end(fault.body);
    res.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
    if (fault?.kind !== 'cut') return void res.end(answer.body);
    res.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => res.destroy());
  }

  const server = createServer((req, res) => void serve(req, res).catch(() => res.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  async function down(): Promise<void> {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    acted: (operation) => calls.filter((call) => call.operation === operation && call.answered !== undefined),
    next: (operation, fault, times = 1) => void planned.push({ operation, fault, left: times }),
    always(operation, fault) {
      const plan = { operation, fault, left: Infinity };
      planned.push(plan);
      return () => void (plan.left = 0);
    },
    clear: () => void planned.splice(0),
    down,
    async up() {
      if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    [Symbol.asyncDispose]: down,
  };
}

function operationOf({ method = '', url = '' }: IncomingMessage, body: Buffer): string {
  const path = url.split('?')[0]!;
  if (path === '/graphql') {
    const { operationName } = JSON.parse(body.toString('utf8')) as { operationName?: string };
    return operationName ?? 'GraphQL';
  }
  if (method === 'PUT' && path.startsWith('/uploads/')) return 'PutFile';
  if (path.startsWith('/files/')) return 'DownloadFile';
  return path.startsWith('/webhooks/') ? 'Webhook' : `${method} ${path}`;
}

async function forward(target: string, { method, url = '', headers }: IncomingMessage, body: Buffer) {
  const outgoing = request(new URL(url, target), { method: method!, headers, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': _chunked, connection: _connection, ...rest } = answer.headers;
  return { status: answer.statusCode!, headers: rest, body: await buffer(answer) };
}
