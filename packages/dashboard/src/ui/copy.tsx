import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import { Dialog } from './dialog.tsx';
import { Secret } from './secret.tsx';

/** Milliseconds that a button says that it has copied. */
const SAID_MS = 2000;

/** A button that copies a text. Without a clipboard, it shows the text, so that the keyboard can copy it. */
export function Copy({ what, value }: { what: string; value: string }) {
  const [state, setState] = useState<'copied' | 'shown'>();
  useEffect(() => {
    if (state !== 'copied') return;
    const timer = setTimeout(() => setState(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <>
      <Button
        kind="quiet"
        icon={state === 'copied' ? 'check' : 'copy'}
        onClick={() => void copyText(value).then((isCopied) => setState(isCopied ? 'copied' : 'shown'))}
      >
        Copy {what}
      </Button>
      <span class="sr-only" role="status">
        {state === 'copied' && 'Copied.'}
      </span>
      {state === 'shown' && (
        <Dialog title={`Copy ${what}`} onClose={() => setState(undefined)}>
          <Secret label={what} value={value} />
          <div class="dialog-actions">
            <Button onClick={() => setState(undefined)}>Close</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
