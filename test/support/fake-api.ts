import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { explainUpload, type FailureCode } from '@burnish/contract';

export const API_KEY = 'a-key-for-tests-only';

/** What the instance that a test plays does with one upload. */
export interface Script {
  /** Pieces of the event stream, one a connection; each connection is cut off after its piece. */
  streams?: string[];
  status?: string;
  errorCode?: FailureCode;
  errorDetail?: string;
  reusedFrom?: string;
  result?: Buffer;
  /** Announces the result as this many bytes longer than it is */
  missingBytes?: number;
  /** Holds the event stream open until the enhancement is cancelled */
  hang?: boolean;
}

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

const RESULT = Buffer.alloc(30_000, 7);
export const END = 'event: end\ndata: {"reason":"settled"}\n\n';

/** A server with the shape of the REST interface; `script` is asked by the name of each file. */
export async function startFakeApi(script: (filename: string) => Script = () => ({})) {
  const requests: Request[] = [];
  const uploads = new Map<
    string,
    { filename: string; size: number; plan: Script; connections: number; cancelled: boolean }
  >();
  const open = new Set<ServerResponse>();

  const record = (id: string): Record<string, unknown> => {
    const { filename, size, plan, cancelled } = uploads.get(id)!;
    const pdf = filename.endsWith('.pdf');
    const status = cancelled ? 'CANCELLED' : (plan.status ?? 'FINISHED');
    const result = plan.result ?? RESULT;
    const finished = status === 'FINISHED';
    const failure = { errorCode: plan.errorCode ?? null, errorDetail: plan.errorDetail ?? null };
    return {
      id,
      status: 'UPLOAD_FINISHED',
      subStatus: pdf ? 'METADATA_ANALYZED_SUCCESSFULLY' : null,
      metadata: null,
      originalFilename: filename,
      filesize: size,
      width: pdf ? 0 : 640,
      height: pdf ? 0 : 427,
      errorCode: null,
      errorDetail: null,
      waitingFor: null,
      explanation: null,
      enhancements: [
        {
          id: id.replace('upl', 'enh'),
          status,
          waitingFor: null,
          fullUrl: finished ? `${baseUrl}/files/${id}` : null,
          filename: finished ? filename : null,
          filesize: finished ? result.length + (plan.missingBytes ?? 0) : null,
          width: pdf ? 0 : 1280,
          height: pdf ? 0 : 854,
          engineDuration: 1234,
          estimatedCredits: 4,
          chargedCredits: finished && plan.reusedFrom === undefined ? 4 : 0,
          reusedFrom: plan.reusedFrom ?? null,
          engine: { version: '12.0', steps: ['tone'], notes: [] },
          ...failure,
          explanation: explainUpload({ ...failure, waitingFor: null }),
        },
      ],
    };
  };

  const json = (res: ServerResponse, status: number, body: unknown): void => {
    res.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
    res.end(JSON.stringify(body));
  };

  const server = createServer((req, res) => void answer(req, res));
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, 'http://localhost');
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    requests.push({ method: req.method!, path: url.pathname, query: url.searchParams, headers: req.headers, body });
    const [, first, kind = '', id = '', rest] = url.pathname.split('/');

    if (first === 'files') {
      const { plan } = uploads.get(kind)!;
      const bytes = plan.result ?? RESULT;
      res.writeHead(200, { 'content-length': bytes.length + (plan.missingBytes ?? 0) });
      res.write(bytes, () => (plan.missingBytes ? res.destroy() : res.end()));
    } else if (first === 'readyz') {
      json(res, 200, {});
    } else if (req.headers['x-api-key'] !== API_KEY) {
      json(res, 401, { code: 'UNAUTHENTICATED', detail: 'The API key is missing or not valid.' });
    } else if (kind === 'credits') {
      json(res, 200, { remainingCreditsThisPeriod: 996, usedCreditsThisPeriod: 4, periodStart: '', periodEnd: '' });
    } else if (req.method === 'POST' && kind === 'uploads') {
      const made = `upl_${uploads.size}`;
      const filename = url.searchParams.get('filename')!;
      uploads.set(made, { filename, size: body.length, plan: script(filename), connections: 0, cancelled: false });
      json(res, 202, record(made));
    } else if (kind === 'uploads' && rest === 'events') {
      const upload = uploads.get(id)!;
      const piece = (upload.plan.streams ?? [END])[upload.connections++] ?? END;
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(`retry: 1000\n\n${piece}`);
      if (upload.plan.hang !== true) res.end();
      else open.add(res);
    } else if (rest === 'cancel') {
      uploads.get(id.replace('enh', 'upl'))!.cancelled = true;
      json(res, 202, {});
    } else if (kind === 'enhancements') {
      json(res, 200, (record(id.replace('enh', 'upl'))['enhancements'] as unknown[])[0]);
    } else {
      json(res, 200, record(id));
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    baseUrl,
    requests,
    of: (path: string) => requests.filter((request) => request.path.endsWith(path)),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        open.forEach((res) => res.destroy());
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
