import { useEffect, useState } from 'preact/hooks';
import type { ParametersRepresentation } from '@burnish/contract';
import { post } from '../api/client.ts';
import type { Estimate, OrderEstimate } from '../api/types.ts';

/** A moving slider causes one request, when it stops. */
const REST_MS = 250;

/** The price of a PDF in credits and its size in bytes; both absent before the answer to the present parameters. */
export type PdfPrice = Partial<Pick<Estimate, 'credits' | 'minCredits' | 'minFilesize' | 'maxFilesize'>> & {
  error?: unknown;
};

/**
 * Requests the price and the size of an enhanced PDF from the gateway, once these parameters have rested.
 * @param say receives the answer or the error, at most once
 * @returns a function that withdraws the request
 */
export function askPdfPrice(
  uploadId: string,
  parameters: ParametersRepresentation,
  say: (price: PdfPrice) => void,
): () => void {
  const abort = new AbortController();
  const timer = setTimeout(() => {
    const body = { enhancements: [parameters] };
    post<OrderEstimate>(`/v1/uploads/${uploadId}/estimate`, { body, signal: abort.signal }).then(
      ({ enhancements: [estimate] }) => say(estimate!),
      (error: unknown) => {
        if (!abort.signal.aborted) say({ error });
      },
    );
  }, REST_MS);
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}

/** The price of a PDF with these parameters, requested at each change. @param uploadId undefined: no request */
export function usePdfPrice(uploadId: string | undefined, parameters: ParametersRepresentation): PdfPrice {
  const [answer, setAnswer] = useState<{ to?: string; price?: PdfPrice }>({});
  const question = uploadId && `${uploadId} ${JSON.stringify(parameters)}`;

  useEffect(() => {
    if (uploadId === undefined || question === undefined) return;
    return askPdfPrice(uploadId, parameters, (price) => setAnswer({ to: question, price }));
  }, [question]);

  return (answer.to === question && answer.price) || {};
}
