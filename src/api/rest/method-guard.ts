import type { RequestHandler } from 'express';
import { Failure } from '../../domain/failures.ts';
import type { describedAddresses } from './described-addresses.ts';
import { sendProblem } from '../http/problem.ts';

/**
 * Answers a method that an address does not take, by the description: 405, and `OPTIONS` with what it takes. An address
 * that is not described goes on to its routes.
 */
export function methodGuard(addressOf: ReturnType<typeof describedAddresses>): RequestHandler {
  return (req, res, next) => {
    const methods = addressOf(req.path)?.methods;
    if (methods === undefined || methods.includes(req.method)) {
      next();
      return;
    }
    const allowed = methods.join(', ');
    res.set('Allow', allowed);
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    const detail = `This address takes ${allowed}, and not ${req.method}.`;
    sendProblem(req, res, new Failure('BAD_USER_INPUT', { detail }), 405);
  };
}
