import { randomInt } from 'node:crypto';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { authority } from '../domain/local-url.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { Sealer } from '../secrets/key-ring.ts';
import type { Passes } from '../secrets/passes.ts';
import { DECODE_BODY_BYTES, decodeRequest } from './decode-request.ts';
import { readCookie, forwardedHeaders, isFromThisOrigin, namesThisMachine } from './ui-requests.ts';
import { type UiEntry, uiEntryPage } from './ui-storage.ts';

const COOKIE = 'burnish_temporal_ui';
/** Lifetime of the cookie in milliseconds. A reload after this time makes the gateway check the session again. */
const COOKIE_MS = 3_600_000;
/** The Web UI's codec endpoint; relative, so that it works under each name of this machine. */
export const UI_CODEC_ENDPOINT = '/burnish-codec';
export const PASS_PARAMETER = 'pass';
const MAX_CONNECTIONS = 100;
const TIMEOUT_MS = 30_000;

export interface UiProxyOptions {
  host: string;
  port: number;
  passes: Passes;
  sealer: Sealer;
  /** Redirect target for people without a pass, such as `http://localhost:3000/temporal-ui` */
  entrance: string;
  /** What the list of workflows begins with */
  entry: UiEntry;
}

export interface UiProxy {
  url: string;
  /** Sets the server behind the proxy, once it runs. @param target such as `http://127.0.0.1:4711` */
  leadTo(target: string): void;
  close(): Promise<void>;
}

/**
 * The listening address of the server behind the proxy. On Linux it is one of 16 million loopback addresses. A page
 * of another site may request every address of this machine, but cannot try them all. On other systems only the port
 * is hidden.
 */
export function hiddenUiHost(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}

/**
 * A proxy for the embedded server's Web UI, which itself has no authentication. It admits only people with a pass of
 * the gateway, only under a name of this machine, and only requests of pages of this origin. It is also the codec
 * endpoint of the Web UI.
 * @throws StartupError when the port is not available
 */
export async function openUiProxy(options: UiProxyOptions): Promise<UiProxy> {
  const { host, port } = options;
  let target: string | undefined;
  const server = createServer({ headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS }, (req, res) => {
    answer(options, target, req, res).catch(() => refuse(res, 502, 'The Temporal Web UI does not respond.'));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, host, port);
  return {
    url: `http://${authority(host, port)}`,
    leadTo: (to) => (target = to),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new StartupError(`Port ${port} on ${host} cannot be used: set BURNISH_TEMPORAL_UI_PORT to another one.`, {
          cause,
        }),
      ),
    );
    server.listen({ host, port, exclusive: true }, resolve);
  });
}

async function answer(
  { passes, sealer, entrance, entry }: UiProxyOptions,
  target: string | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { method, headers } = req;
  if (!namesThisMachine(headers.host)) {
    return refuse(
      res,
      421,
      'The Temporal Web UI accepts only the host names localhost and 127.0.0.1. Use one of them.',
    );
  }
  if (!isFromThisOrigin(method, headers)) return refuse(res, 403, 'Requests from another origin are refused.');
  const url = new URL(req.url ?? '/', 'http://localhost');
  const pass = url.searchParams.get(PASS_PARAMETER);
  if (pass !== null && passes.isGood('way in', pass)) {
    url.searchParams.delete(PASS_PARAMETER);
    const cookie = `${COOKIE}=${passes.issue('cookie', COOKIE_MS)}; HttpOnly; SameSite=Lax; Path=/`;
    const { headers: described, body } = uiEntryPage(entry, localPath(url));
    res.writeHead(200, { ...PRIVATE, ...described, 'set-cookie': cookie }).end(body);
    return;
  }
  if (!passes.isGood('cookie', readCookie(headers, COOKIE) ?? '')) {
    if (method === 'GET' && headers.accept?.includes('text/html')) return redirect(res, entrance + localPath(url));
    return refuse(res, 401, 'Open this page from the dashboard, signed in as an operator.');
  }
  if (url.pathname === `${UI_CODEC_ENDPOINT}/decode`) return await decode(sealer, req, res);
  if (target === undefined) return refuse(res, 503, 'The Temporal server is starting. Try again in a moment.');
  await forward(target, req, res);
}

/** A local path with a single leading slash, since two would name another host. */
const localPath = ({ pathname, search }: URL): string => `/${pathname.replace(/^\/+/, '')}${search}`;

async function decode(sealer: Sealer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const size = Number(req.headers['content-length'] ?? Infinity);
  if (req.method !== 'POST' || !(size <= DECODE_BODY_BYTES))
    return refuse(res, 400, 'The request is not a decoding request.');
  let body: string;
  try {
    body = JSON.stringify(decodeRequest(sealer, await json(req)));
  } catch {
    return refuse(res, 400, 'The request is not a decoding request.');
  }
  res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body);
}

function forward(target: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const headers = { ...forwardedHeaders(req.headers, 'host', 'origin', 'referer'), host: new URL(target).host };
  return new Promise((resolve, reject) => {
    const onward = request(target + (req.url ?? '/'), { method: req.method, headers, timeout: 10 * TIMEOUT_MS });
    onward.on('response', (response) => {
      res.writeHead(response.statusCode ?? 502, forwardedHeaders(response.headers));
      response.on('error', () => res.destroy());
      response.pipe(res);
      resolve();
    });
    onward.on('timeout', () => onward.destroy(new Error('The Temporal Web UI does not respond.')));
    onward.on('error', reject);
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  });
}

/** Of an answer to an address that may hold a pass. */
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

const redirect = (res: ServerResponse, location: string): void =>
  void res.writeHead(303, { location, ...PRIVATE }).end();

function refuse(res: ServerResponse, status: number, sentence: string): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  res.end(`${sentence}\n`);
}
