import { useEffect, useState } from 'preact/hooks';
import type { ParametersRepresentation } from '@burnish/contract';
import { post } from '../api/client.ts';
import type { Estimate, OrderEstimate } from '../api/types.ts';

/** A moving slider causes one request, when it stops. */
const REST_MS = 250;

type PdfEstimate = Partial<Pick<Estimate, 'credits' | 'minCredits' | 'minFilesize' | 'maxFilesize'>>;

/**
 * The price and the size of an enhanced PDF with these parameters, requested from the gateway at each change.
 * @param uploadId undefined: no request
 * @returns neither before the answer to the present parameters
 */
export function usePdfPrice(
  uploadId: string | undefined,
  parameters: ParametersRepresentation,
): PdfEstimate & { error?: unknown } {
  const [answer, setAnswer] = useState<PdfEstimate & { to?: string; error?: unknown }>({});
  const question = uploadId && `${uploadId} ${JSON.stringify(parameters)}`;

  useEffect(() => {
    if (uploadId === undefined || question === undefined) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const body = { enhancements: [parameters] };
      post<OrderEstimate>(`/v1/uploads/${uploadId}/estimate`, { body, signal: abort.signal }).then(
        ({ enhancements: [estimate] }) => setAnswer({ to: question, ...estimate! }),
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
