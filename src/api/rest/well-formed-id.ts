import type { RequestParamHandler } from 'express';
import { Failure } from '../../domain/failures.ts';
import { isId } from '../../domain/ids.ts';
import type { IdPrefix } from '../../domain/ids.ts';

/** Answers a text that cannot be an id exactly as an id that nothing has, and keeps it away from the database. */
export function wellFormedId(prefix: IdPrefix): RequestParamHandler {
  return (_req, _res, next, id: string) => {
    next(isId(prefix, id) ? undefined : new Failure('NOT_FOUND'));
  };
}
