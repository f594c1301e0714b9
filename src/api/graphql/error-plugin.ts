import type { Plugin } from 'graphql-yoga';
import type { Failure } from '../../domain/failures.ts';
import type { RequestContext } from '../http/request-context.ts';
import { failureOf, publicError } from './errors.ts';

/** Gives every error its code and takes everything else from it; what is our own fault goes into the log. */
export function publicErrors(contextOf: (serverContext: object) => RequestContext): Plugin {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || !('errors' in result) || result.errors === undefined) return;
      const { log, requestId } = contextOf(serverContext);
      const errors = result.errors.map((error) => {
        const failure = failureOf(error);
        if (failure.code === 'INTERNAL') log.error({ err: causeOf(failure), path: error.path }, 'operation failed');
        return publicError(error, failure, requestId);
      });
      setResult({ ...result, errors });
    },
  };
}

function causeOf(failure: Failure): unknown {
  return failure.cause ?? failure;
}
