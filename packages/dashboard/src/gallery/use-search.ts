import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Milliseconds without a key press before a search starts. */
const PAUSE_MS = 250;

/**
 * The text in a field, and the value that filters the list. The filter follows a pause in typing, and the address contains it.
 * @param name of the value in the query of the address
 */
export function useSearch(name: 'search' | 'reference'): {
  text: string;
  setText: (text: string) => void;
  asked: string;
} {
  const { path, query, route } = useLocation();
  const asked = query[name] ?? '';
  const [text, setText] = useState(asked);
  /** The value of the last typed filter; any other value comes from a link or from the back button. */
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
      route(filteredAddress(path, query, { [name]: wanted }), true);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, setText, asked };
}

/** The address of the page with some filters changed. An empty value removes its filter. */
export function filteredAddress(
  path: string,
  query: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string>>,
): string {
  const filters = Object.entries({ ...query, ...change }).filter(([, value]) => value !== '');
  return filters.length === 0 ? path : `${path}?${new URLSearchParams(filters).toString()}`;
}
