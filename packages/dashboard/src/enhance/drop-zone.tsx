import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { entriesWithFolder } from '../batches/folder-files.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { isTouched } from '../ui/is-touched.ts';
import { useDrop } from '../ui/use-drop.ts';

const TAKEN =
  'image/jpeg,image/png,image/tiff,image/heic,image/heif,image/webp,image/avif,image/gif,image/bmp,application/pdf,.heic,.tif,.tiff';

/** Accepts files that are dropped anywhere on the page, chosen, pasted, or named by their URL. */
export function DropZone({
  small,
  onFiles,
  onFolder,
  onUrl,
}: {
  /** There is more on the page than this */
  small: boolean;
  onFiles: (files: File[]) => void;
  onFolder: (entries: FileSystemEntry[]) => void;
  onUrl: (url: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const hand = useRef({ onFiles, onUrl });
  hand.current = { onFiles, onUrl };
  const isOver = useDrop((dropped) => {
    const entries = entriesWithFolder(dropped);
    if (entries.length > 0) onFolder(entries);
    else onFiles([...dropped.files]);
  });

  useLayoutEffect(() => {
    const ended = new AbortController();
    const paste = ({ clipboardData, target }: ClipboardEvent): void => {
      const files = [...(clipboardData?.files ?? [])];
      if (files.length > 0) {
        hand.current.onFiles(files);
        return;
      }
      const text = clipboardData?.getData('text/plain').trim() ?? '';
      const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      if (!isTyping && isUrl(text)) hand.current.onUrl(text);
    };
    addEventListener('paste', paste, { signal: ended.signal });
    return () => ended.abort();
  }, []);

  return (
    <section class={`drop-zone ${isOver ? 'over' : ''} ${small ? 'small-zone' : ''}`} aria-label="Add files">
      <span class="drop-icon">
        <Icon name="upload" size={small ? 22 : 32} />
      </span>
      <div class="drop-words">
        <p class="drop-title">
          {isOver ? 'Release to add the files' : isTouched() ? 'Choose images and PDFs' : 'Drop images and PDFs here'}
        </p>
        {!small && (
          <p class="soft small">
            JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF and BMP up to 50 MB, PDF up to 1 GB.
            {!isTouched() && ' Or paste them. A folder becomes a batch.'}
          </p>
        )}
      </div>
      <Button kind={small ? 'plain' : 'primary'} icon="plus" onClick={() => input.current!.click()}>
        Choose files
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={TAKEN}
        aria-label="Images and PDFs"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
      <UrlField placeholder={small ? 'or https://…' : 'or the URL of a file: https://…'} onUrl={onUrl} />
    </section>
  );
}

function UrlField({ placeholder, onUrl }: { placeholder: string; onUrl: (url: string) => void }) {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      class="address"
      onSubmit={(event) => {
        event.preventDefault();
        const url = text.trim();
        setWrong(!isUrl(url));
        if (!isUrl(url)) return;
        onUrl(url);
        setText('');
      }}
    >
      <input
        type="text"
        inputMode="url"
        aria-label="URL of a file"
        placeholder={placeholder}
        value={text}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? 'address-wrong' : undefined}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" icon="link">
        Add
      </Button>
      {isWrong && (
        <p class="field-error" id="address-wrong" role="alert">
          A URL starts with https:// or http://.
        </p>
      )}
    </form>
  );
}

const isUrl = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
