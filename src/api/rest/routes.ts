import { Router, type RequestHandler } from 'express';
import { Failure } from '@burnish/contract';
import { sendProblem } from '../http/problem.ts';
import type { Operation } from './operation.ts';

export interface Route {
  /** OpenAPI path, such as `/v1/uploads/{id}` */
  path: string;
  /** Upper case, with HEAD in addition to GET */
  methods: string[];
  /** The method that creates an upload, if there is one */
  createsUploadBy: string | undefined;
}

/** Finds the route of a path; undefined without an operation. */
export type FindRoute = (path: string) => Route | undefined;

/** The routes of operations. A path with a slash at its end is another path, so that an empty id never finds the list. */
export function createRoutes<Deps>(operations: readonly Operation<Deps>[], deps: Deps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const { method, path, handlers } of operations)
    router[method](path.replace(/\{(\w+)\}/g, ':$1'), ...handlers(deps));
  return router;
}

/** The routes of operations. A literal path takes precedence over one with parameters. */
export function createRouteFinder(operations: readonly Operation<never>[]): FindRoute {
  const routes = [...new Set(operations.map(({ path }) => path))]
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((path) => ({
      pattern: toPattern(path),
      route: toRoute(
        path,
        operations.filter((each) => each.path === path),
      ),
    }));
  return (path) => routes.find(({ pattern }) => pattern.test(path))?.route;
}

function toRoute(path: string, operations: readonly Operation<never>[]): Route {
  const methods = operations.map(({ method }) => method.toUpperCase());
  return {
    path,
    methods: methods.includes('GET') ? ['HEAD', ...methods].toSorted() : methods.toSorted(),
    createsUploadBy: operations.find(({ createsUpload }) => createsUpload)?.method.toUpperCase(),
  };
}

const toPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);

/**
 * Responds to an unsupported method with 405, and to `OPTIONS` with the supported methods. A path without an
 * operation continues to the next handler.
 */
export function methodGuard(findRoute: FindRoute): RequestHandler {
  return (req, res, next) => {
    const methods = findRoute(req.path)?.methods;
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
    const detail = `This path accepts ${allowed}, not ${req.method}. Use one of its methods.`;
    sendProblem(req, res, new Failure('BAD_USER_INPUT', { detail }), 405);
  };
}

export function forUploadRequests(findRoute: FindRoute, ...handlers: RequestHandler[]): RequestHandler[] {
  return handlers.map(
    (handler): RequestHandler =>
      (req, res, next) =>
        findRoute(req.path)?.createsUploadBy === req.method ? handler(req, res, next) : next(),
  );
}
