import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { explainFailure, Failure } from '@burnish/contract';
import { printable, invalidInput } from '@burnish/contract/schemas';
import { toHttpStatus } from '../http/problem.ts';
import { namingTrouble } from '../trouble/unavailable.ts';

/** Maximum length of an error message in characters: GraphQL's own messages quote the refused text. */
const MAX_MESSAGE_LENGTH = 500;
/** Matches the path within a variable in GraphQL's error messages. */
const PLACE_IN_VARIABLE =
  /^Variable "\$(\w{1,100})" got invalid value .* at "\w+((?:\.\w{1,100}|\[\d{1,6}\]){1,20})"; /s;

/**
 * Converts an error to a failure with a code. An error other than a `Failure` or a mistake of the caller becomes
 * INTERNAL, without details.
 */
export function toFailure(thrown: unknown): Failure {
  const error = namingTrouble(thrown);
  if (error instanceof Failure) return error;
  if (error instanceof z.ZodError) return invalidInput(error);
  if (!(error instanceof GraphQLError)) return new Failure('INTERNAL', { cause: error });
  const { originalError } = error;
  if (originalError === undefined || originalError === null) return requestError(error);
  // GraphQL refuses requests before the execution, and arguments during it, with their location in the document. An
  // error without a location is a defect of the server: a resolver returned an invalid value.
  const isRefusal =
    originalError instanceof GraphQLError && (error.path === undefined || originalError.nodes !== undefined);
  if (isRefusal) return requestError(error);
  return originalError instanceof GraphQLError ? new Failure('INTERNAL', { cause: error }) : toFailure(originalError);
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
function requestError({ message, originalError }: GraphQLError): Failure {
  const [, variable, place] = PLACE_IN_VARIABLE.exec(message) ?? [];
  const field = variable === undefined ? undefined : `${variable}${place}`;
  // The reason without the value, which may be large.
  const text = field !== undefined && originalError ? `Field ${field}: ${originalError.message}` : message;
  const detail = printable(text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text);
  return new Failure('BAD_USER_INPUT', { detail, ...(field === undefined ? {} : { field }) });
}
