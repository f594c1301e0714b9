import { getOperationAST, GraphQLError, OperationTypeNode, type DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { Failure } from '@burnish/contract';
import { within } from '../../../process/within.ts';
import type { GraphqlContext } from '../context.ts';

const RETRY_AFTER_SECONDS = 5;

/** The refusal of a document after its deadline. @param ms its maximum duration, milliseconds */
export function outOfTime(ms: number): Failure {
  const detail = `The document took longer than ${ms / 1000} s. Request fewer fields, or try again.`;
  return new Failure('UNAVAILABLE', { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/**
 * Limits the duration of documents. Changes are not interrupted, since their response reports their results. After
 * the deadline no further change begins.
 * @param ms milliseconds
 */
export function timeLimit(ms: number): Plugin<GraphqlContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document as DocumentNode, args.operationName);
      if (operation?.operation !== OperationTypeNode.QUERY) return;
      const late = () => {
        const originalError = outOfTime(ms);
        return { errors: [new GraphQLError(originalError.message, { originalError })] };
      };
      setExecuteFn((given) => within(ms, late, Promise.resolve(executeFn(given))));
    },
  };
}
