import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Milliseconds without a key press before a search starts. */
const PAUSE_MS = 250;

/** The text in the field, and the search that runs. The search follows a pause in typing, and the address contains it. */
export function useSearch(): { text: string; setText: (text: string) => void; asked: string } {
  const { path, query, route } = useLocation();
  const asked = query['search'] ?? '';
  const [text, setText] = useState(asked);
  /** The address of the last typed search; any other address comes from a link or from the back button. */
  const typed = useRef(asked);

  useEffect(() => {
    if (asked === typed.current) return;
    typed.current = asked;
    setText(asked);
  }, [asked]);

  useEffect(() => {
    const wanted = text.trim();
    if (wanted === typed.current) return;
    const timer = setTimeout(() => {
      typed.current = wanted;
      route(wanted === '' ? path : `${path}?${new URLSearchParams({ search: wanted }).toString()}`, true);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, setText, asked };
}
