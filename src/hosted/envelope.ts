import { z } from 'zod';

export interface GraphqlErrorBody {
  message: string;
  code: string | null;
  retryAfterMs: number | null;
}

const seconds = z.coerce.number().min(0).max(86_400);
const errorSchema = z.object({
  message: z.string().catch('no message'),
  extensions: z
    .object({
      code: z.string().max(100).nullable().catch(null),
      retryAfter: seconds.nullable().catch(null),
      retryAfterSeconds: seconds.nullable().catch(null),
    })
    .nullable()
    .catch(null),
});
const errorsSchema = z.object({ errors: z.array(errorSchema).min(1) });

/** Parses the errors of a response; empty for a response without errors, or one that is not GraphQL. Reads at most the first 10. */
export function graphqlErrors(body: unknown): GraphqlErrorBody[] {
  const { data } = errorsSchema.safeParse(firstErrors(body));
  return (data?.errors ?? []).map(({ message, extensions }) => {
    const wait = extensions?.retryAfter ?? extensions?.retryAfterSeconds ?? null;
    return {
      message: message.slice(0, 2_000),
      code: extensions?.code ?? null,
      retryAfterMs: wait === null ? null : wait * 1000,
    };
  });
}

function firstErrors(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('errors' in body) || !Array.isArray(body.errors)) return body;
  return { errors: body.errors.slice(0, 10) as unknown[] };
}
