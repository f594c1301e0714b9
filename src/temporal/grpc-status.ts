import { isGrpcServiceError } from '@temporalio/client';

/** gRPC status codes that Temporal answers with, https://grpc.io/docs/guides/status-codes/ */
const CODES = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;
type GrpcStatus = keyof typeof CODES;

/** Whether an error is Temporal's answer with one of these codes. */
export const hasStatus = (error: unknown, ...names: GrpcStatus[]): boolean =>
  isGrpcServiceError(error) && names.some((name) => CODES[name] === Number(error.code));

/** Whether the same call may succeed later: Temporal is away or busy, or refuses a key that an operator replaces. */
export const isOutage = (error: unknown): boolean =>
  hasStatus(error, 'CANCELLED', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'ABORTED', 'UNAVAILABLE') ||
  isAccessRefusal(error);

/** Whether Temporal refuses the API key or the client certificate. */
export const isAccessRefusal = (error: unknown): boolean => hasStatus(error, 'PERMISSION_DENIED', 'UNAUTHENTICATED');
