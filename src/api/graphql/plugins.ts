import { getOperationAST, GraphQLError, OperationTypeNode, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { Failure } from '@burnish/contract';
import type { RequestContext } from '../http/request-context.ts';
import type { GraphqlContext } from './context.ts';
import { toFailure, publicError } from './errors.ts';

/**
 * Adds a code and a remedy to every error, and removes all internal details. Logs internal errors.
 * @param variablesOf a request
 */
export function publicErrors(
  schema: GraphQLSchema,
  getContext: (serverContext: object) => RequestContext,
  variablesOf: (serverContext: object) => unknown,
): Plugin {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || !('errors' in result) || result.errors === undefined) return;
      const { log, requestId } = getContext(serverContext);
      const errors = result.errors.map((error) => {
        const failure = toFailure(error, { schema, variables: variablesOf(serverContext) });
        if (failure.code === 'INTERNAL') log.error({ err: findCause(failure), path: error.path }, 'operation failed');
        return publicError(error, failure, requestId);
      });
      setResult({ ...result, errors });
    },
  };
}

function findCause(failure: Failure): unknown {
  return failure.cause ?? failure;
}

/** Looks the caller up again before a mutation: its key and settings must be current, not up to a second old. */
export function freshCallerForChanges(): Plugin<GraphqlContext> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const operation = getOperationAST(args.document as DocumentNode, args.operationName);
      if (operation?.operation !== OperationTypeNode.MUTATION) return undefined;
      const context = args.contextValue as GraphqlContext;
      return context.deps.callers.find(context.apiKey, context.caller.address ?? undefined).then((caller) => {
        if (caller === undefined) setResultAndStopExecution({ errors: [refusal()] });
        else context.caller = { ...caller, address: context.caller.address };
      });
    },
  };
}

function refusal(): GraphQLError {
  const originalError = new Failure('UNAUTHENTICATED');
  return new GraphQLError(originalError.message, { originalError });
}
