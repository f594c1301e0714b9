import { GraphQLError, type GraphQLSchema } from 'graphql';
import { explainFailure, Failure } from '@burnish/contract';
import { printable } from '@burnish/contract/schemas';
import { toHttpStatus } from '../http/problem.ts';
import { namingTrouble } from '../trouble/unavailable.ts';
import { documentRemedy } from './document-remedy.ts';
import { findVariableFault } from './variable-fault.ts';

/** Maximum length of an error message in characters: GraphQL's own messages quote the refused text. */
const MAX_MESSAGE_LENGTH = 500;

/** What a document and its variables were checked against; absent before a document was read. */
export interface RefusedRequest {
  schema: GraphQLSchema;
  variables: unknown;
}

/**
 * Converts an error to a failure with a code. An error other than a `Failure` or a mistake of the caller becomes
 * INTERNAL, without details.
 */
export function toFailure(thrown: unknown, refused?: RefusedRequest): Failure {
  const error = namingTrouble(thrown);
  if (error instanceof Failure) return error;
  if (!(error instanceof GraphQLError)) return new Failure('INTERNAL', { cause: error });
  const { originalError } = error;
  if (originalError === undefined || originalError === null) return requestError(error, refused);
  // GraphQL refuses requests before the execution, and arguments during it, with their location in the document. An
  // error without a location is a defect of the server: a resolver returned an invalid value.
  const isRefusal =
    originalError instanceof GraphQLError && (error.path === undefined || originalError.nodes !== undefined);
  if (isRefusal) return requestError(error, refused);
  return originalError instanceof GraphQLError
    ? new Failure('INTERNAL', { cause: error })
    : toFailure(originalError, refused);
}

/** The public form of an error: code, field, and retry delay. @param isRequestError the document was not executed */
export function publicError(error: unknown, failure: Failure, requestId: string): GraphQLError {
  const { nodes, source, positions, path } = error instanceof GraphQLError ? error : ({} as Partial<GraphQLError>);
  const { code, field, retryable, retryAfterSeconds } = failure;
  const isRequestError = path === undefined;
  const { detail, remedy } = explainFailure(code, failure.message);
  return new GraphQLError(detail, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: {
      code,
      remedy,
      ...(field === undefined ? {} : { field }),
      retryable,
      ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
      requestId,
      // For the HTTP response only; `spec` leaves the status at 200 for `application/json`.
      ...(isRequestError ? { http: { status: toHttpStatus(failure), spec: true } } : {}),
    },
  });
}

/** Converts GraphQL's own refusal of the document or its variables. */
function requestError(error: GraphQLError, refused: RefusedRequest | undefined): Failure {
  const found = refused && findVariableFault(refused.schema, error, refused.variables);
  if (found !== undefined)
    return new Failure('BAD_USER_INPUT', {
      detail: found.detail,
      ...(found.field !== undefined && { field: found.field }),
    });
  const { message } = error;
  const text = printable(message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message);
  const remedy = refused && documentRemedy(refused.schema, error);
  return new Failure('BAD_USER_INPUT', {
    detail: remedy === undefined ? text : `${text.replace(/(?<![.?!…])$/, '.')} ${remedy}`,
  });
}
