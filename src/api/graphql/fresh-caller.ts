import { getOperationAST, GraphQLError, OperationTypeNode } from 'graphql';
import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { Failure } from '../../domain/failures.ts';
import type { GraphqlContext } from './context.ts';

/** Looks again who asks before a change: the key and the settings of the account have to be those of now. */
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
