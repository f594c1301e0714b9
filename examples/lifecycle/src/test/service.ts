import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { buildSchema, graphql, GraphQLError } from 'graphql';
import { Webhook } from 'standardwebhooks';

/** The part of the contract that the steps use. Names and types are those of the hosted service. */
const SCHEMA = buildSchema(`
  scalar Decimal
  enum UploadStatus { UPLOAD_PENDING UPLOAD_PROCESSING UPLOAD_FINISHED UPLOAD_FAILED UPLOAD_DELETED }
  enum UploadSubStatus { METADATA_ANALYZING METADATA_ANALYZED_SUCCESSFULLY METADATA_ANALYZED_FAILED }
  enum EnhancedImageStatus { QUEUED PROCESSING FINISHED ERROR AWAITING_APPROVAL AWAITING_CREDITS CANCELLED }
  enum ErrorCode { CORRUPT_FILE PROCESSING_LIMIT INTERNAL }
  enum EnhancedImageEnhancementMode { ENHANCE NATURAL VIVID OFF }
  enum EnhancedImageUpscalingFactor { X1 X2 X4 }
  type Upload { id: ID! status: UploadStatus! subStatus: UploadSubStatus mimetype: String metadata: String }
  type EnhancedImage { id: ID! status: EnhancedImageStatus! fullUrl: String errorCode: ErrorCode }
  type SignedUploadUrl { uploadId: ID! uploadUrl: String! }
  type AnalyzePdfPayload { success: Boolean! }
  type Credits { remainingCreditsThisPeriod: Int! }
  input CreateUploadFromUrlInput { url: String! }
  input CreateSignedUploadUrlInput { filename: String! filesize: Int! mimetype: String! }
  input CreateEnhancedImageInput {
    mode: EnhancedImageEnhancementMode upscalingFactor: EnhancedImageUpscalingFactor targetResolution: Decimal
  }
  type Query { upload(id: ID!): Upload enhancedImage(id: ID!): EnhancedImage credits: Credits }
  type Mutation {
    createUploadFromUrl(input: CreateUploadFromUrlInput!): Upload
    createSignedUploadUrl(input: CreateSignedUploadUrlInput!): SignedUploadUrl
    completeSignedUpload(id: ID!): Upload
    analyzePdf(uploadId: ID!): AnalyzePdfPayload
    createEnhancedImage(uploadId: ID!, input: CreateEnhancedImageInput!): EnhancedImage
  }
`);

const PDF = 'application/pdf';

interface Upload {
  id: string;
  status: string;
  subStatus: string | null;
  mimetype: string | null;
  metadata: string | null;
  declared: { filesize: number; mimetype: string } | null;
  bytes: Buffer;
}
interface Enhancement {
  id: string;
  uploadId: string;
  status: string;
  fullUrl: string | null;
  errorCode: string | null;
}

/**
 * A service that speaks the contract, in this process. It enhances nothing: a result is `enhanced ` before the bytes of
 * the file. Tests set its fields to choose what happens. Burnish: `@burnish/client/testing` gives workflows that call
 * Burnish over Nexus such a service, and test keys give it over HTTP.
 */
export class TestService {
  readonly apiKey = 'key';
  readonly secret = `whsec_${Buffer.from('the secret of the service').toString('base64')}`;
  readonly uploads = new Map<string, Upload>();
  readonly enhancements = new Map<string, Enhancement>();
  credits = 100;
  /** Analyses that fail before one succeeds */
  failingAnalyses = 0;
  /** Where events go; undefined loses them */
  webhookUrl: string | undefined;
  /** Enhancements wait for `finish` */
  holds = false;
  /** Runs after an enhancement began, and before its answer */
  beforeAnswer: () => Promise<void> = async () => {};

  private readonly orders = new Map<string, Enhancement>();
  private server!: Server;
  url = '';

  async start(): Promise<void> {
    this.server = createServer(this.app()).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** The id of the first enhancement, once it is ordered. */
  async ordered(): Promise<string> {
    while (this.enhancements.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return [...this.enhancements.keys()][0]!;
  }

  /** Ends an enhancement, and sends the event. */
  async finish(id: string, errorCode: string | null = null): Promise<void> {
    const enhancement = this.enhancements.get(id)!;
    const ended =
      errorCode === null ? { status: 'FINISHED', fullUrl: `${this.url}/results/${id}` } : { status: 'ERROR' };
    Object.assign(enhancement, ended, { errorCode });
    await this.send('enhanced_image.status_update', { id, status: enhancement.status });
  }

  private async send(event: string, data: object): Promise<void> {
    if (this.webhookUrl === undefined) return;
    await sendWebhook(this.webhookUrl, this.secret, { event, data });
  }

  private app(): express.Express {
    const app = express();
    app.post('/graphql', express.json(), async (req, res) => {
      const known = req.get('x-api-key') === this.apiKey;
      if (!known)
        return void res.json({ errors: [{ message: 'Wrong key.', extensions: { code: 'UNAUTHENTICATED' } }] });
      const { query: source, variables: variableValues } = req.body;
      const rootValue = this.operations(req.get('idempotency-key'));
      res.json(await graphql({ schema: SCHEMA, source, variableValues, rootValue }));
    });
    app.put('/files/:id', express.raw({ type: () => true, limit: '50mb' }), (req, res) => {
      const upload = this.uploads.get(req.params['id'] as string);
      if (upload?.declared?.mimetype !== req.get('content-type')) return void res.sendStatus(415);
      upload!.bytes = req.body;
      res.sendStatus(200);
    });
    app.get('/results/:id', (req, res) => {
      const { uploadId } = this.enhancements.get(req.params.id)!;
      res.send(Buffer.concat([Buffer.from('enhanced '), this.uploads.get(uploadId)!.bytes]));
    });
    return app;
  }

  private operations(key: string | undefined) {
    return {
      createUploadFromUrl: ({ input }: { input: { url: string } }) => {
        const upload = this.newUpload(null);
        upload.bytes = Buffer.from(input.url);
        this.arrived(upload, input.url.endsWith('.pdf') ? PDF : 'image/jpeg');
        return upload;
      },
      createSignedUploadUrl: ({ input }: { input: { filesize: number; mimetype: string } }) => {
        const { id } = this.newUpload(input);
        return { uploadId: id, uploadUrl: `${this.url}/files/${id}` };
      },
      completeSignedUpload: ({ id }: { id: string }) => {
        const upload = this.uploads.get(id)!;
        if (upload.bytes.length !== upload.declared?.filesize) throw refusal('UPLOAD_MISMATCH');
        this.arrived(upload, upload.declared.mimetype);
        return upload;
      },
      upload: ({ id }: { id: string }) => this.uploads.get(id),
      analyzePdf: ({ uploadId }: { uploadId: string }) => {
        this.analyze(this.uploads.get(uploadId)!);
        return { success: true };
      },
      credits: () => ({ remainingCreditsThisPeriod: this.credits }),
      createEnhancedImage: async ({ uploadId, input }: { uploadId: string; input: { upscalingFactor?: string } }) => {
        const earlier = this.orders.get(key ?? '');
        if (earlier !== undefined) return earlier;
        const { subStatus } = this.uploads.get(uploadId)!;
        if (![null, 'METADATA_ANALYZED_SUCCESSFULLY'].includes(subStatus)) throw refusal('PDF_NOT_ANALYZED');
        const id = `enh_${crypto.randomUUID()}`;
        const enhancement = { id, uploadId, status: 'QUEUED', fullUrl: null, errorCode: null };
        this.enhancements.set(id, enhancement);
        if (key !== undefined) this.orders.set(key, enhancement);
        this.credits -= subStatus === null && (input.upscalingFactor ?? 'X1') === 'X1' ? 1 : 4;
        await this.beforeAnswer();
        if (!this.holds) setImmediate(() => void this.finish(id));
        return enhancement;
      },
      enhancedImage: ({ id }: { id: string }) => this.enhancements.get(id),
    };
  }

  private newUpload(declared: Upload['declared']): Upload {
    const id = `upl_${crypto.randomUUID()}`;
    const none = { subStatus: null, mimetype: null, metadata: null };
    const upload: Upload = { id, status: 'UPLOAD_PENDING', ...none, declared, bytes: Buffer.alloc(0) };
    this.uploads.set(id, upload);
    return upload;
  }

  private arrived(upload: Upload, mimetype: string): void {
    Object.assign(upload, { status: 'UPLOAD_FINISHED', mimetype });
    if (mimetype === PDF) this.analyze(upload);
  }

  private analyze(upload: Upload): void {
    upload.subStatus = 'METADATA_ANALYZING';
    setImmediate(() => {
      this.failingAnalyses -= 1;
      const failed = this.failingAnalyses >= 0;
      const metadata = failed ? null : { totalCredits: 4, statistics: { images: 1 } };
      upload.subStatus = failed ? 'METADATA_ANALYZED_FAILED' : 'METADATA_ANALYZED_SUCCESSFULLY';
      upload.metadata = failed ? null : JSON.stringify(metadata);
      const { id, status, subStatus } = upload;
      void this.send('upload.sub_status_update', { id, status, subStatus, metadata });
    });
  }
}

/** Sends an event as the service and the shop do, by Standard Webhooks. @returns the status of the answer */
export async function sendWebhook(
  url: string,
  secret: string,
  event: object,
  id = crypto.randomUUID(),
): Promise<number> {
  const now = new Date();
  const body = JSON.stringify({ id, created: now.toISOString(), ...event });
  const signature = new Webhook(secret).sign(id, now, body);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signature,
  };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

const refusal = (code: string): GraphQLError => new GraphQLError(code, { extensions: { code, retryable: false } });
