import type { RequestHandler } from 'express';
import { Failure } from '../domain/failures.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { sendProblem } from './problem.ts';

interface Address {
  pattern: RegExp;
  /** Upper case, with HEAD beside GET */
  methods: string[];
}

/**
 * Answers a method that an address does not take, by the description: 405, and `OPTIONS` with what it takes. An address
 * that is not described goes on to its routes.
 */
export function methodGuard({ paths = {} }: Pick<OpenApiDocument, 'paths'>): RequestHandler {
  const addresses = Object.entries(paths)
    // What is written out comes before what stands for anything.
    .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, operations]) => toAddress(path, Object.keys(operations)));

  return (req, res, next) => {
    const methods = addresses.find(({ pattern }) => pattern.test(req.path))?.methods;
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

function toAddress(path: string, operations: string[]): Address {
  const methods = operations.map((method) => method.toUpperCase());
  return {
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
    methods: methods.includes('GET') ? ['HEAD', ...methods].toSorted() : methods.toSorted(),
  };
}
