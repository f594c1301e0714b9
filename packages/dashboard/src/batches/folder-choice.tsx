import { useRef } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { isTouched } from '../ui/is-touched.ts';
import { useDrop } from '../ui/use-drop.ts';
import { chosenFiles, entriesWithFolder, readEntries, type FolderFile } from './folder-files.ts';

/** Accepts a folder that is dropped or chosen, and many files where a device has no folders. */
export function FolderChoice({
  title,
  onFiles,
}: {
  title: string;
  onFiles: (found: Promise<readonly FolderFile[]>) => void;
}) {
  const folderInput = useRef<HTMLInputElement>(null);
  const filesInput = useRef<HTMLInputElement>(null);
  const isOver = useDrop((dropped) => {
    const entries = entriesWithFolder(dropped);
    onFiles(entries.length > 0 ? readEntries(entries) : Promise.resolve(chosenFiles(dropped.files)));
  });
  const take = (input: HTMLInputElement): void => {
    if (input.files !== null && input.files.length > 0) onFiles(Promise.resolve(chosenFiles(input.files)));
    // The same folder may be chosen again.
    input.value = '';
  };
  return (
    <section class={`drop-zone small-zone folder-zone ${isOver ? 'over' : ''}`} aria-label="Add a folder">
      <span class="drop-icon">
        <Icon name="layers" size={22} />
      </span>
      <div class="drop-words">
        <p class="drop-title">{isOver ? 'Release to add the folder' : title}</p>
        <p class="soft small">Its folders are kept in the results.</p>
      </div>
      <div class="actions">
        {!isTouched() && (
          <Button kind="primary" icon="plus" onClick={() => folderInput.current!.click()}>
            Choose folder
          </Button>
        )}
        <Button icon="images" onClick={() => filesInput.current!.click()}>
          Choose files
        </Button>
      </div>
      <input
        ref={folderInput}
        type="file"
        hidden
        multiple
        {...{ webkitdirectory: true }}
        aria-label="Folder"
        onChange={({ currentTarget }) => take(currentTarget)}
      />
      <input
        ref={filesInput}
        type="file"
        hidden
        multiple
        aria-label="Files of a batch"
        onChange={({ currentTarget }) => take(currentTarget)}
      />
    </section>
  );
}
