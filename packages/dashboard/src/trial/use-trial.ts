import { useEffect, useState } from 'preact/hooks';
import { burnish, endSession } from '../api/client.ts';
import type { Trial } from '../api/types.ts';
import type { Variant } from './variants.ts';

/** A point of a picture, in parts of its sides, 0 to 1. */
export interface Place {
  x: number;
  y: number;
}

/** The file of a trial, and the part of it that is shown: around a place, or the whole. */
export interface TrialQuestion {
  uploadId: string;
  variants: readonly Variant[];
  part: Place | undefined;
  page: number | undefined;
}

/** Milliseconds that a moved part rests before it is asked for. */
const REST_MS = 250;

/** Asks for a trial, again with each other question. The last answer stays until the next one is there. */
export function useTrial(question: TrialQuestion): {
  trial: Trial | undefined;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
} {
  const [answer, setAnswer] = useState<{ to: string; trial?: Trial; error?: unknown }>({ to: '' });
  const [tries, setTries] = useState(0);
  const { uploadId, variants, part, page } = question;
  const asked = JSON.stringify([question, tries]);
  useEffect(() => {
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      const trial = {
        enhancements: variants.map(({ parameters }) => parameters),
        ...(part && { part }),
        ...(page !== undefined && { page }),
      };
      try {
        const made = await endSession(burnish.enhancements.try(uploadId, trial, { signal: abort.signal }));
        setAnswer({ to: asked, trial: made });
      } catch (error) {
        if (!abort.signal.aborted) setAnswer(({ trial: last }) => ({ to: asked, ...(last && { trial: last }), error }));
      }
    };
    const timer = setTimeout(() => void ask(), answer.to === '' ? 0 : REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked]);
  const isLoading = answer.to !== asked;
  return {
    trial: answer.trial,
    isLoading,
    error: isLoading ? undefined : answer.error,
    retry: () => setTries((count) => count + 1),
  };
}
