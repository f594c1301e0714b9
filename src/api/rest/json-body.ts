import type { Request, RequestHandler } from 'express';
import { Failure } from '@burnish/contract';
import { printable, readJsonText } from '@burnish/contract/schemas';
import { hasBytes } from '../http/problem.ts';
import { readBody, undecodable } from '../http/read-body.ts';

/** Maximum size of a JSON body, in bytes. */
const JSON_BODY_BYTES = 256_000;

/** Longest part of a caller's Content-Type that an error repeats, in characters. */
const MAX_NAMED_TYPE = 100;

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Reads a JSON body into `req.body`, an empty one as an empty object. Leaves a body of any other type unread.
 * @throws Failure BAD_USER_INPUT for other text, and for JSON that is neither object nor list; the refusals of `readBody`
 */
export async function readJson(req: Request<object>, mostBytes = JSON_BODY_BYTES): Promise<void> {
  const { 'content-type': type = '', 'content-length': length, 'transfer-encoding': coding } = req.headers;
  if (!JSON_TYPE.test(type) || (length === undefined && coding === undefined)) return;
  if ((CHARSET.exec(type)?.[1] ?? 'utf-8').toLowerCase() !== 'utf-8') throw undecodable();
  req.body = parse(new TextDecoder().decode(await readBody(req, mostBytes)));
}

function parse(text: string): unknown {
  if (text === '') return {};
  const read = readJsonText(text);
  if ('value' in read && typeof read.value === 'object' && read.value !== null) return read.value;
  const detail =
    'value' in read
      ? 'The body is JSON, but no object. Send a JSON object.'
      : `The body is not valid JSON at line ${read.line}, column ${read.column}. ${read.remedy}`;
  throw new Failure('BAD_USER_INPUT', { detail });
}

/**
 * The refusal of a body of another type than JSON, which would otherwise count as no body.
 * @param isNeeded whether the operation reads a body at all
 * @returns undefined for JSON, and for a request without bytes
 */
export function wrongBodyType(req: Request<object>, isNeeded = true): Failure | undefined {
  const type = req.headers['content-type'] ?? '';
  if (!hasBytes(req) || JSON_TYPE.test(type)) return undefined;
  const fault =
    type === ''
      ? 'The body has no Content-Type.'
      : `The Content-Type ${printable(type.slice(0, MAX_NAMED_TYPE))} is not supported here.`;
  const remedy = isNeeded ? 'Send JSON with the header Content-Type: application/json.' : 'Send no body.';
  return new Failure('UNSUPPORTED_MEDIA_TYPE', { field: 'Content-Type', detail: `${fault} ${remedy}` });
}

/** Refuses a body of another type than JSON. */
export const onlyJson: RequestHandler = (req, _res, next) => next(wrongBodyType(req));
