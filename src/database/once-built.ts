/**
 * Builds a query the first time it is wanted, and keeps it: building one costs more than PostgreSQL takes to answer it.
 * Not before, since records are also made for a single transaction, which wants few of them.
 */
export function onceBuilt<Query>(build: () => Query): () => Query {
  let built: Query | undefined;
  return () => (built ??= build());
}
