import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { counted, MAX_ARCHIVED_BYTES, MAX_ARCHIVED_FILES } from '@burnish/contract';
import type { UploadWithEnhancements } from '../api/types.ts';
import { addUploads } from '../enhance/jobs.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { curl } from '../ui/curl.ts';
import { formatBytes } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { DeleteUploads } from '../uploads/delete-uploads.tsx';
import { ExportResults } from '../uploads/export-results.tsx';
import { newestResult } from '../uploads/results.ts';
import { uploadState } from '../uploads/words.ts';
import type { Gallery } from './gallery.ts';
import '../ui/bottom-bar.css';

/** What can be done with the selected uploads. It stays in view while tiles scroll. */
export function SelectionBar({ gallery, uploads }: { gallery: Gallery; uploads: readonly UploadWithEnhancements[] }) {
  const { route } = useLocation();
  const [open, setOpen] = useState<'export' | 'delete'>();
  const chosen = gallery.selection.ids.value;
  const selected = uploads.filter(({ id }) => chosen.has(id));
  if (selected.length === 0) return null;
  const files = selected.flatMap(fileOf);
  const bytes = files.reduce((total, { size }) => total + size, 0);
  const ready = selected.filter((upload) => uploadState(upload).tone === 'good');
  const results = selected.flatMap((upload) => newestResult(upload) ?? []);
  const trouble = troubleOf(files.length, bytes);
  return (
    <section class="bottom-bar selection-bar" aria-label="Selection">
      <div class="selection-words">
        <Button
          kind="quiet"
          icon="close"
          aria-label="Clear the selection"
          title="Clear the selection (Esc)"
          onClick={() => gallery.selection.set([])}
        />
        <p role="status">
          <strong>{selected.length} selected</strong>{' '}
          <span class="soft small">
            {counted(files.length, 'file')}, {formatBytes(bytes)}
          </span>
        </p>
        {trouble === undefined && <Copy what="curl" value={curl('GET', archivePath(files), { file: 'burnish.zip' })} />}
        {trouble !== undefined && <p class="small">{trouble}</p>}
      </div>
      <div class="actions">
        {trouble === undefined && (
          <a class="button primary" href={archivePath(files)} download="burnish.zip">
            <Icon name="download" size={18} /> Download
          </a>
        )}
        {ready.length > 0 && (
          <Button
            icon="sparkle"
            onClick={() => {
              addUploads(ready);
              gallery.selection.set([]);
              route('/');
            }}
          >
            Enhance again
          </Button>
        )}
        {results.length > 0 && (
          <Button icon="external" onClick={() => setOpen('export')}>
            Export
          </Button>
        )}
        <Button icon="trash" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      {open === 'export' && <ExportResults results={results} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <DeleteUploads
          uploads={selected}
          onClose={() => setOpen(undefined)}
          onDeleted={(ids) => gallery.forget(new Set(ids))}
        />
      )}
    </section>
  );
}

const archivePath = (files: readonly { id: string }[]): string =>
  `/v1/archive.zip?ids=${files.map(({ id }) => id).join(',')}`;

/** The file that the tile of an upload shows: its newest result, else its original. */
function fileOf(upload: UploadWithEnhancements): { id: string; size: number }[] {
  const result = newestResult(upload);
  if (result !== undefined) return [{ id: result.id, size: result.filesize ?? 0 }];
  return upload.status === 'UPLOAD_FINISHED' ? [{ id: upload.id, size: upload.filesize ?? 0 }] : [];
}

function troubleOf(count: number, bytes: number): string | undefined {
  if (count === 0) return 'The selected uploads have no file to download.';
  if (count > MAX_ARCHIVED_FILES) return `A download has at most ${MAX_ARCHIVED_FILES} files. Select fewer.`;
  if (bytes > MAX_ARCHIVED_BYTES)
    return `A download has at most ${formatBytes(MAX_ARCHIVED_BYTES)}. Select fewer files.`;
  return undefined;
}
