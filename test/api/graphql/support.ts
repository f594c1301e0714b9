import type { TestGateway } from '../support/gateway.ts';

export interface GraphqlAnswer {
  status: number;
  headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  data: any;
  errors: GraphqlProblem[] | undefined;
}

export interface GraphqlProblem {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; field?: string; retryable: boolean; retryAfter?: number; requestId: string };
}

export interface GraphqlCall {
  variables?: Record<string, unknown>;
  operationName?: string;
  headers?: Record<string, string>;
  key?: string | null;
}

/** Sends `POST /graphql` in the same form as a client of the contract. */
export async function graphql(gateway: TestGateway, query: string, call: GraphqlCall = {}): Promise<GraphqlAnswer> {
  const { headers, key, ...rest } = call;
  const response = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query, ...rest }),
    ...(key === undefined ? {} : { key }),
  });
  const body = await response.json();
  return { status: response.status, headers: response.headers, data: body.data, errors: body.errors };
}

/** Returns code and field of the first error; undefined without errors. */
export function refusal({ errors }: GraphqlAnswer): [string, string | undefined] | undefined {
  const first = errors?.[0];
  return first && [first.extensions.code, first.extensions.field];
}
