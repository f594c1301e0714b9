import type { Request, Response } from 'express';
import { ProtocolFailure } from './problem.ts';
import { readHeader } from './request-context.ts';

/** What a client can know of the bytes that an address gives. */
export interface Validators {
  /** Strong, in its quotes */
  etag: string;
  /** Absent where the bytes have no date */
  modifiedAt?: Date | undefined;
}

/**
 * Evaluates the conditions of a read in the order of RFC 9110, section 13.2.2, and sets the headers that name the bytes. A
 * range and `If-Range` are the caller's.
 * @returns whether the client has these bytes: the answer is then 304
 * @throws ProtocolFailure 412
 */
export function isUnchanged(req: Request<object>, res: Response, { etag, modifiedAt }: Validators): boolean {
  if (!matches(req, etag) || isModifiedSince(req, modifiedAt)) {
    throw preconditionFailed('The file is another one than the condition of the request names.');
  }
  // Express compares the request with the headers of the answer.
  res.set('ETag', etag);
  if (modifiedAt !== undefined) res.set('Last-Modified', modifiedAt.toUTCString());
  return req.fresh;
}

/**
 * Refuses a change that is bound to an ETag, where none exists: the client wants no change that it has not seen.
 * @throws ProtocolFailure 412
 */
export function refuseMatch(req: Request<object>): void {
  if (!matches(req, undefined)) {
    throw preconditionFailed('This resource has no ETag. Repeat the request without If-Match.');
  }
}

/** Whether `If-Match` holds: by the strong comparison, which a weak tag never passes. */
function matches(req: Request<object>, etag: string | undefined): boolean {
  const header = readHeader(req, 'if-match');
  return header === undefined || header.trim() === '*' || header.split(',').some((each) => each.trim() === etag);
}

/** Whether `If-Unmodified-Since` fails. As in the RFC, it does not count beside `If-Match`, without a date, and unless it is one. */
function isModifiedSince(req: Request<object>, modifiedAt: Date | undefined): boolean {
  const header = readHeader(req, 'if-unmodified-since');
  if (header === undefined || modifiedAt === undefined || readHeader(req, 'if-match') !== undefined) return false;
  // A header has whole seconds.
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 > Date.parse(header);
}

const preconditionFailed = (detail: string): ProtocolFailure => new ProtocolFailure(412, 'BAD_USER_INPUT', { detail });
