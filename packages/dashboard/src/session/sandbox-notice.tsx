import { useState } from 'preact/hooks';
import { Notice } from '../ui/notice.tsx';

/** Where this browser keeps the sentence that its operator has put away. Another sentence is shown again. */
const STORAGE_KEY = 'burnish-sandbox-notice';

/** What the decoders lack, for operators, until they have read it. @param sentence null: nothing is missing */
export function SandboxNotice({ sentence }: { sentence: string | null }) {
  const [known, setKnown] = useState(readKnown);
  if (sentence === null || sentence === known) return null;
  return (
    <Notice kind="warning">
      {sentence}{' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          keepKnown(sentence);
          setKnown(sentence);
        }}
      >
        Do not show again
      </button>
    </Notice>
  );
}

function readKnown(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    // A browser may refuse to store anything.
    return null;
  }
}

function keepKnown(sentence: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, sentence);
  } catch {
    // Then the notice returns at the next visit.
  }
}
