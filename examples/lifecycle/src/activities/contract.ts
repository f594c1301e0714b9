import { createWriteStream, openAsBlob } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { ClientError, GraphQLClient, gql } from 'graphql-request';
import type { EnhancedImage, Steps, Upload } from '../steps';
import { alive } from './alive';

/*
 * The steps by the GraphQL contract of the hosted service. The same calls reach Burnish and every service that speaks it.
 */

const UPLOAD = 'id status subStatus mimetype metadata';
const ENHANCEMENT = 'id status errorCode fullUrl';

const CREATE_UPLOAD_FROM_URL = gql`mutation ($input: CreateUploadFromUrlInput!) {
  createUploadFromUrl(input: $input) { ${UPLOAD} }
}`;
const CREATE_SIGNED_UPLOAD_URL = gql`
  mutation ($input: CreateSignedUploadUrlInput!) {
    createSignedUploadUrl(input: $input) {
      uploadId
      uploadUrl
    }
  }
`;
const COMPLETE_SIGNED_UPLOAD = gql`mutation ($id: ID!) {
  completeSignedUpload(id: $id) { ${UPLOAD} }
}`;
const READ_UPLOAD = gql`query ($id: ID!) {
  upload(id: $id) { ${UPLOAD} }
}`;
const ANALYZE_PDF = gql`
  mutation ($uploadId: ID!) {
    analyzePdf(uploadId: $uploadId) {
      success
    }
  }
`;
const CREDITS = gql`
  query {
    credits {
      remainingCreditsThisPeriod
    }
  }
`;
const CREATE_ENHANCED_IMAGE = gql`mutation ($uploadId: ID!, $input: CreateEnhancedImageInput!) {
  createEnhancedImage(uploadId: $uploadId, input: $input) { ${ENHANCEMENT} }
}`;
const READ_ENHANCEMENT = gql`query ($id: ID!) {
  enhancedImage(id: $id) { ${ENHANCEMENT} }
}`;

type UploadAnswer = Omit<Upload, 'busy'> & { mimetype: string | null };
type EnhancementAnswer = Omit<EnhancedImage, 'busy'> & { fullUrl: string | null };

const MEDIA_TYPES: Record<string, string> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.heic': 'image/heic',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
};

/**
 * @param service its address without `/graphql`, and its key
 * @param notify the last step, which needs no service
 */
export function contractSteps(service: { url: string; apiKey: string }, notify: Steps['notify']): Steps {
  const client = new GraphQLClient(`${service.url}/graphql`, { headers: { 'x-api-key': service.apiKey } });

  async function call<T>(document: string, variables: object, requestHeaders: Record<string, string> = {}): Promise<T> {
    try {
      return await client.request<T>({
        document,
        variables,
        requestHeaders,
        signal: Context.current().cancellationSignal,
      });
    } catch (error) {
      throw asFailure(error);
    }
  }

  async function sendFile(path: string): Promise<UploadAnswer> {
    const type = MEDIA_TYPES[extname(path).toLowerCase()];
    if (type === undefined)
      throw refused('UNSUPPORTED_MEDIA_TYPE', `The service reads no file like ${basename(path)}.`);
    const { size } = await stat(path).catch((error: Error) => {
      throw refused('SOURCE_MISSING', error.message);
    });
    const input = { filename: basename(path), filesize: size, mimetype: type };
    const { createSignedUploadUrl: signed } = await call<{
      createSignedUploadUrl: { uploadId: string; uploadUrl: string };
    }>(CREATE_SIGNED_UPLOAD_URL, { input });
    const { ok, status } = await fetch(signed.uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': type },
      body: await openAsBlob(path),
      signal: Context.current().cancellationSignal,
    });
    if (!ok) throw new Error(`The storage of the service answered HTTP ${status}.`);
    const id = signed.uploadId;
    return (await call<{ completeSignedUpload: UploadAnswer }>(COMPLETE_SIGNED_UPLOAD, { id })).completeSignedUpload;
  }

  async function readEnhancement(id: string): Promise<EnhancementAnswer> {
    const { enhancedImage } = await call<{ enhancedImage: EnhancementAnswer | null }>(READ_ENHANCEMENT, { id });
    return enhancedImage ?? gone(id);
  }

  return {
    /** A repeated attempt makes another upload. It costs nothing, and the service deletes it after its retention. */
    upload: ({ source }) =>
      alive(async () => {
        if ('path' in source) return asUpload(await sendFile(source.path));
        const input = { url: source.url };
        const answer = await call<{ createUploadFromUrl: UploadAnswer }>(CREATE_UPLOAD_FROM_URL, { input });
        return asUpload(answer.createUploadFromUrl);
      }),

    async analyze(uploadId) {
      await call(ANALYZE_PDF, { uploadId });
      return { id: uploadId, busy: true, status: 'UPLOAD_FINISHED', subStatus: 'METADATA_ANALYZING', metadata: null };
    },

    /** Burnish: an operation tells the price of any parameters. The contract tells that of a PDF with everything. */
    async checkCredits({ metadata }, { upscalingFactor = 'X1' }) {
      const { credits } = await call<{ credits: { remainingCreditsThisPeriod: number } }>(CREDITS, {});
      const price = metadata === null ? (upscalingFactor === 'X1' ? 1 : 4) : JSON.parse(metadata).totalCredits;
      return { price, remaining: credits.remainingCreditsThisPeriod };
    },

    /**
     * The one call that costs. Every attempt sends the same key, so that a lost answer is not charged twice.
     * Burnish: where a service knows no such keys, it looks for the lost enhancement before it orders another one.
     */
    enhance: (uploadId, input) =>
      alive(async () => {
        const { workflowExecution, activityId } = Context.current().info;
        const key = `${workflowExecution?.runId}/${activityId}`;
        const answer = await call<{ createEnhancedImage: EnhancementAnswer }>(
          CREATE_ENHANCED_IMAGE,
          { uploadId, input },
          { 'idempotency-key': key },
        );
        return asEnhancement(answer.createEnhancedImage);
      }),

    /** Reads the address anew, since it is valid for a day only, and is a secret that no history needs. */
    download: (id, resultPath) =>
      alive(async () => {
        const { fullUrl } = await readEnhancement(id);
        const signal = Context.current().cancellationSignal;
        const response = await fetch(fullUrl ?? gone(id), { signal });
        if (!response.ok || response.body === null) throw new Error(`The result answered HTTP ${response.status}.`);
        // An attempt that has lost its worker may still write. Burnish: an interrupted download continues.
        const unfinished = `${resultPath}.${Context.current().info.attempt}`;
        await pipeline(Readable.fromWeb(response.body), createWriteStream(unfinished), { signal });
        await rename(unfinished, resultPath);
      }),

    notify,

    async readUpload(id) {
      const { upload } = await call<{ upload: UploadAnswer | null }>(READ_UPLOAD, { id });
      return asUpload(upload ?? gone(id));
    },

    readEnhancement: async (id) => asEnhancement(await readEnhancement(id)),
  };
}

/** The contract does not list all statuses. One that it does not name is neither an end nor a failure. */
function asUpload({ mimetype, ...upload }: UploadAnswer): Upload {
  const ended = ['UPLOAD_FAILED', 'UPLOAD_DELETED'].includes(upload.status);
  const analyzed =
    mimetype !== 'application/pdf' ||
    ['METADATA_ANALYZED_SUCCESSFULLY', 'METADATA_ANALYZED_FAILED'].includes(upload.subStatus ?? '');
  return { ...upload, busy: !ended && !(upload.status === 'UPLOAD_FINISHED' && analyzed) };
}

function asEnhancement({ id, status, errorCode }: EnhancementAnswer): EnhancedImage {
  return { id, status, errorCode, busy: !['FINISHED', 'ERROR', 'CANCELLED'].includes(status) };
}

/**
 * A GraphQL error is an answer, which a repetition changes only where the service says so. No answer, 429 and 5xx are
 * trouble that passes. Burnish: after five such calls in a row, a circuit breaker spares the service.
 */
function asFailure(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const { status, errors: [answer] = [] } = error.response;
  if (answer === undefined || status >= 500 || status === 429 || answer.extensions?.['retryable'] === true)
    return error;
  return refused(String(answer.extensions?.['code'] ?? 'REFUSED'), answer.message);
}

const refused = (type: string, message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, type);

function gone(id: string): never {
  throw refused('NOT_FOUND', `The service no longer has ${id}. Order the file again.`);
}
