import { ClientError, GraphQLClient } from 'graphql-request';
import { type Instance, startInstance } from '../e2e/instance.ts';
import { type AccountOptions, sharedInstance, type SharedInstance } from '../e2e/shared-instance.ts';
import { listenHttp, type LocalServer } from '../support/local-server.ts';
import { until } from '../support/until.ts';
import { type WebhookReceiver, webhookReceiver } from '../e2e/webhook-receiver.ts';

// Answers are what the documents of the tests ask for: a wrong guess fails the test.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Answer = any;

export interface UploadFields {
  id: string;
  status: string;
  subStatus: string | null;
  metadata: string | null;
  errorCode: string | null;
  [field: string]: unknown;
}

export interface EnhancedFields {
  id: string;
  status: string;
  fullUrl: string | null;
  filename: string | null;
  engineDuration: number | null;
  errorCode: string | null;
}

/** Every field of the contract. */
export const UPLOAD_FIELDS =
  'id status subStatus metadata filesize mimetype extension originalFilename filename width height url startedAt finishedAt duration errorCode';
export const ENHANCED_FIELDS = 'id status fullUrl filename engineDuration errorCode';

/** A running instance, and what a stranger has: its address, a key, a client for GraphQL, files to fetch, a receiver of events. */
export interface Service<T extends SharedInstance = SharedInstance> extends AsyncDisposable {
  instance: T;
  receiver: WebhookReceiver;
  /** Serves these files at `/name`, one that is promised once it is there; anything else is missing */
  files: Map<string, Buffer | Promise<Buffer>>;
  filesUrl: string;
  send(document: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  /** The code of the first error; fails when there is none */
  refused(document: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<string>;
  /** The upload once it has ended, and its analysis with it */
  uploaded(id: string): Promise<UploadFields>;
  /** The enhancement once it is final */
  enhanced(id: string): Promise<EnhancedFields>;
}

/** Calls REST with the key of the account, with POST if there is a body. @returns the answer, whatever its status */
export async function callRest({ instance }: Service, path: string, body?: object): Promise<Answer> {
  const { api } = instance;
  return (await (body === undefined ? api.get<Answer>(path) : api.call<Answer>('POST', path, { body }))).body;
}

/** Orders one enhancement. @returns its record, or the problem */
export async function orderOne(service: Service, uploadId: string, enhancement: object): Promise<Answer> {
  const answer = await callRest(service, `/v1/uploads/${uploadId}/enhancements`, { enhancements: [enhancement] });
  return answer.enhancements?.[0] ?? answer;
}

/** The estimate of one enhancement, or the problem. */
export async function estimateOne(service: Service, uploadId: string, enhancement: object): Promise<Answer> {
  const answer = await callRest(service, `/v1/uploads/${uploadId}/estimate`, { enhancements: [enhancement] });
  return answer.enhancements?.[0] ?? answer;
}

/** With an account of its own on the shared instance. */
export const startService = (account: AccountOptions = {}): Promise<Service> => serve(() => sharedInstance(account));

/** With an instance of its own: only the first account has the secret that signs webhooks of uploads. */
export const startOwnService = (): Promise<Service<Instance>> =>
  serve(() => startInstance({ env: { BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1' } }));

async function serve<T extends SharedInstance>(start: () => Promise<T>): Promise<Service<T>> {
  const files = new Map<string, Buffer | Promise<Buffer>>();
  const host: LocalServer = await listenHttp((req, res) => {
    void Promise.resolve(files.get(decodeURIComponent(req.url!.slice(1)))).then((file) =>
      res.writeHead(file === undefined ? 404 : 200, { 'Content-Type': 'application/octet-stream' }).end(file),
    );
  });
  const receiver = await webhookReceiver();
  const instance = await start();
  const client = new GraphQLClient(`${instance.url}/graphql`, { headers: { 'x-api-key': instance.apiKey } });

  const send: Service['send'] = (document, variables = {}, headers = {}) =>
    client.request(document, variables, headers);
  return {
    instance,
    receiver,
    files,
    filesUrl: host.url,
    send,
    async refused(document, variables, headers) {
      try {
        await send(document, variables, headers);
      } catch (error) {
        if (error instanceof ClientError) return String(error.response.errors?.[0]?.extensions['code']);
        throw error;
      }
      throw new Error('The request was expected to be refused.');
    },
    uploaded: (id) =>
      until(async () => {
        const { upload } = await send(`query ($id: ID!) { upload(id: $id) { ${UPLOAD_FIELDS} } }`, { id });
        const waits = ['UPLOAD_PENDING', 'UPLOAD_PROCESSING'].includes(upload.status);
        return waits || upload.subStatus === 'METADATA_ANALYZING' ? undefined : (upload as UploadFields);
      }),
    enhanced: (id) =>
      until(async () => {
        const { enhancedImage } = await send(`query ($id: ID!) { enhancedImage(id: $id) { ${ENHANCED_FIELDS} } }`, {
          id,
        });
        return ['FINISHED', 'ERROR', 'CANCELLED'].includes(enhancedImage.status)
          ? (enhancedImage as EnhancedFields)
          : undefined;
      }),
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}
