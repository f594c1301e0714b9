import { useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';

/** A text to be copied. @param label what it is, for readers of the page and above the text */
export function Secret({ label, value }: { label: string; value: string }) {
  const text = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');

  const copy = async (): Promise<void> => {
    const isCopied = await copyText(value);
    // The keyboard can copy a selected text.
    if (!isCopied) getSelection()?.selectAllChildren(text.current!);
    setSaid(isCopied ? 'Copied.' : 'Selected. Press Ctrl+C or Command+C to copy it.');
  };

  return (
    <div class="secret" role="group" aria-label={label}>
      <span class="secret-label">{label}</span>
      <div class="secret-row">
        <code ref={text} tabIndex={0}>
          {value}
        </code>
        <Button icon={said === 'Copied.' ? 'check' : 'copy'} onClick={() => void copy()}>
          Copy
        </Button>
      </div>
      <p class="hint" role="status">
        {said}
      </p>
    </div>
  );
}
