import { useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

/** A text that is shown this once, to be copied. @param label what it is, for readers of the page and above the text */
export function Secret({ label, value }: { label: string; value: string }) {
  const text = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setSaid('Copied.');
    } catch {
      // Without https or localhost there is no clipboard: the text is selected, so that the keyboard can copy it.
      getSelection()?.selectAllChildren(text.current!);
      setSaid('Selected. Press Ctrl+C or Command+C to copy it.');
    }
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
