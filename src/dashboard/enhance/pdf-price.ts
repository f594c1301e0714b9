import { useEffect, useState } from 'preact/hooks';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { post } from '../api/client.ts';

/** A slider that moves asks once, when it rests. */
const REST_MS = 250;

/**
 * Credits that enhancing a PDF with these parameters costs at most, asked of the gateway at each change.
 * @param uploadId undefined: nothing is asked
 * @returns no credits until the answer to the present parameters is there
 */
export function usePdfPrice(
  uploadId: string | undefined,
  parameters: EnhancementParameters,
): { credits?: number; error?: unknown } {
  const [answer, setAnswer] = useState<{ to?: string; credits?: number; error?: unknown }>({});
  const question = uploadId && `${uploadId} ${JSON.stringify(parameters)}`;

  useEffect(() => {
    if (uploadId === undefined || question === undefined) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      post<{ credits: number }>(`/v1/uploads/${uploadId}/estimate`, { body: parameters, signal: abort.signal }).then(
        ({ credits }) => setAnswer({ to: question, credits }),
        (error: unknown) => {
          if (!abort.signal.aborted) setAnswer({ to: question, error });
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [question]);

  return answer.to === question ? answer : {};
}
