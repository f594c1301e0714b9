import type { Request, RequestHandler, Response } from 'express';
import { Failure, MAX_FILE_SIZE_BYTES } from '@burnish/contract';
import { ProtocolFailure } from '../http/problem.ts';
import { readHeader } from '../http/request-context.ts';

/* The headers of tus 1.0.0 (https://tus.io/protocols/resumable-upload). */

export const TUS_PATH = '/v1/tus';
const TUS_VERSION = '1.0.0';
/** Media type of the body of a PATCH. */
export const PART_TYPE = 'application/offset+octet-stream';
const CHECKSUM_BYTES = { sha1: 20, sha256: 32 } as const;

/** Concurrent PATCHes of one upload at one gateway. Those of lost connections wait for their timeout. */
export const APPENDS_AT_ONCE = 10;

/** What the server offers, in the answer to OPTIONS. */
export const TUS_OFFER = {
  'Tus-Version': TUS_VERSION,
  'Tus-Extension': 'creation,expiration,termination,checksum',
  'Tus-Checksum-Algorithm': Object.keys(CHECKSUM_BYTES).join(','),
  'Tus-Max-Size': String(MAX_FILE_SIZE_BYTES),
} as const;

/** Names the version in every response. */
export const nameTusVersion: RequestHandler = (_req, res, next) => {
  res.set('Tus-Resumable', TUS_VERSION);
  next();
};

/** Checks the version of a request. @throws ProtocolFailure 412, with the supported version in a header of the response */
export function assertTusVersion(req: Request<object>, res: Response): void {
  if (readHeader(req, 'tus-resumable') === TUS_VERSION) return;
  res.set('Tus-Version', TUS_VERSION);
  const detail = `This server supports version ${TUS_VERSION} of tus. Send the header Tus-Resumable: ${TUS_VERSION}.`;
  throw new ProtocolFailure(412, 'BAD_USER_INPUT', { field: 'Tus-Resumable', detail });
}

/** The length of the file in bytes. @throws Failure BAD_USER_INPUT */
export function readUploadLength(req: Request<object>): number {
  if (readHeader(req, 'upload-concat') !== undefined)
    throw invalid('Upload-Concat', 'Concatenation is not supported. Send the file with one upload.');
  if (readHeader(req, 'upload-defer-length') !== undefined)
    throw invalid('Upload-Defer-Length', 'A deferred length is not supported. Send Upload-Length instead.');
  return readBytes(req, 'Upload-Length');
}

/** The byte at which a PATCH starts. @throws Failure BAD_USER_INPUT */
export function readUploadOffset(req: Request<object>): number {
  return readBytes(req, 'Upload-Offset');
}

export interface Checksum {
  algorithm: keyof typeof CHECKSUM_BYTES;
  /** Hex */
  digest: string;
}

/** The checksum of the body of a PATCH; undefined without one. @throws Failure BAD_USER_INPUT */
export function readChecksum(req: Request<object>): Checksum | undefined {
  const header = readHeader(req, 'upload-checksum');
  if (header === undefined) return undefined;
  const [algorithm = '', text = ''] = header.split(' ');
  const names = Object.keys(CHECKSUM_BYTES).join(' or ');
  if (!Object.hasOwn(CHECKSUM_BYTES, algorithm))
    throw invalid('Upload-Checksum', `The algorithm of the checksum is not supported. Use ${names}.`);
  const known = algorithm as Checksum['algorithm'];
  const digest = isBase64(text) ? Buffer.from(text, 'base64') : undefined;
  if (digest?.byteLength !== CHECKSUM_BYTES[known])
    throw invalid(
      'Upload-Checksum',
      `The header Upload-Checksum is not valid. Send ${algorithm}, one space and the checksum in Base64.`,
    );
  return { algorithm: known, digest: digest.toString('hex') };
}

/** Checks that the body of a PATCH has the type of the protocol. @throws Failure UNSUPPORTED_MEDIA_TYPE */
export function assertPartType(req: Request<object>): void {
  if ((readHeader(req, 'content-type') ?? '').split(';')[0]!.trim().toLowerCase() === PART_TYPE) return;
  const detail = `The Content-Type of a PATCH is ${PART_TYPE}. Send the bytes with that type.`;
  throw new Failure('UNSUPPORTED_MEDIA_TYPE', { field: 'Content-Type', detail });
}

/**
 * The pairs of `Upload-Metadata`, with decoded values. A key without a value has an empty text.
 * @throws Failure BAD_USER_INPUT for a repeated key, and for a value other than UTF-8 in Base64
 */
export function parseMetadata(header: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  if (header.trim() === '') return pairs;
  for (const pair of header.split(',')) {
    const [key = '', encoded = '', ...more] = pair.trim().split(' ');
    if (!/^[\x21-\x7e]+$/.test(key) || more.length > 0)
      throw invalid(
        'Upload-Metadata',
        'The header Upload-Metadata is not valid. Send pairs of a key and a Base64 value, separated by commas.',
      );
    if (Object.hasOwn(pairs, key))
      throw invalid('Upload-Metadata', `The key ${key.slice(0, 100)} occurs twice. Send it once.`);
    const value = decodeText(encoded);
    if (value === undefined)
      throw invalid(
        'Upload-Metadata',
        `The value of ${key.slice(0, 100)} is not UTF-8 text in Base64. Send it encoded, such as filename cGhvdG8uanBn.`,
      );
    Object.defineProperty(pairs, key, { value, enumerable: true });
  }
  return pairs;
}

function decodeText(encoded: string): string | undefined {
  if (!isBase64(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

function readBytes(req: Request<object>, name: string): number {
  const header = readHeader(req, name.toLowerCase());
  if (header === undefined || !/^\d{1,15}$/.test(header))
    throw invalid(name, `The header ${name} is missing, or no number. Send a number of bytes.`);
  return Number(header);
}

const invalid = (field: string, detail: string): Failure => new Failure('BAD_USER_INPUT', { field, detail });
