import { useEffect, useState } from 'preact/hooks';

/** Milliseconds without a key until a search begins. */
const PAUSE_MS = 250;

/** What is typed, and what is asked for: that follows when the typing pauses. */
export function useSearch(): { text: string; setText: (text: string) => void; asked: string } {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, setText, asked };
}
