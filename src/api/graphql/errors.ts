import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { Failure, FAILURES } from '../../domain/failures.ts';
import { httpStatusOf, invalidInput, printable } from '../http/problem.ts';
import { namingTrouble } from '../trouble/unavailable.ts';

/** Longest message of an answer, in characters: GraphQL's own messages quote the refused text. */
const MAX_MESSAGE_LENGTH = 500;
/** Where GraphQL says which part of a variable it refuses. */
const PLACE_IN_VARIABLE =
  /^Variable "\$(\w{1,100})" got invalid value .* at "\w+((?:\.\w{1,100}|\[\d{1,6}\]){1,20})"; /s;

/**
 * The failure behind an error, with a code of the one list. An error that is neither a `Failure` nor a mistake of the caller
 * becomes INTERNAL, without details.
 */
export function failureOf(thrown: unknown): Failure {
  const error = namingTrouble(thrown);
  if (error instanceof Failure) return error;
  if (error instanceof z.ZodError) return invalidInput(error);
  if (!(error instanceof GraphQLError)) return new Failure('INTERNAL', { cause: error });
  const { originalError } = error;
  if (originalError === undefined || originalError === null) return requestError(error);
  // Before anything is executed, GraphQL refuses what came; while it executes, it refuses arguments, with their place in the
  // document. What it then says without a place is a mistake of ours: a resolver gave what its field cannot be.
  const isRefusal =
    originalError instanceof GraphQLError && (error.path === undefined || originalError.nodes !== undefined);
  if (isRefusal) return requestError(error);
  return originalError instanceof GraphQLError ? new Failure('INTERNAL', { cause: error }) : failureOf(originalError);
}

/** The error as it goes out: code, field, and when to come again. @param isRequestError nothing was executed */
export function publicError(error: unknown, failure: Failure, requestId: string): GraphQLError {
  const { nodes, source, positions, path } = error instanceof GraphQLError ? error : ({} as Partial<GraphQLError>);
  const { code, field, retryable, retryAfterSeconds } = failure;
  const isRequestError = path === undefined;
  return new GraphQLError(failure.message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: {
      code,
      remedy: FAILURES[code].remedy,
      ...(field === undefined ? {} : { field }),
      retryable,
      ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
      requestId,
      // For the HTTP answer alone; `spec` keeps it at 200 for `application/json`.
      ...(isRequestError ? { http: { status: httpStatusOf(failure), spec: true } } : {}),
    },
  });
}

/** GraphQL itself refuses the document, or what came with it. */
function requestError({ message, originalError }: GraphQLError): Failure {
  const [, variable, place] = PLACE_IN_VARIABLE.exec(message) ?? [];
  const field = variable === undefined ? undefined : `${variable}${place}`;
  // The reason without the value, which may be large.
  const text = field !== undefined && originalError ? `Field ${field}: ${originalError.message}` : message;
  const detail = printable(text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text);
  return new Failure('BAD_USER_INPUT', { detail, ...(field === undefined ? {} : { field }) });
}
