import { useEffect } from 'preact/hooks';
import { hasEnded } from '../../../../src/domain/batch/batch.ts';
import type { Batch } from '../api/types.ts';
import { useResource, type Resource } from '../api/use-resource.ts';

const POLL_MS = 3000;

/** A batch, read again while it can change by itself. */
export function useBatch(id: string): Resource<Batch> {
  const resource = useResource<Batch>(`/v1/batches/${id}`);
  const { data, error, reload } = resource;
  useEffect(() => {
    if (data === undefined || hasEnded(data)) return;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [data, error]);
  return resource;
}
