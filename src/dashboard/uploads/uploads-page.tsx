import { useEffect, useState } from 'preact/hooks';
import type { UploadWithEnhancements } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Trouble } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Loading } from '../ui/progress.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { DeleteUpload } from './delete-upload.tsx';
import { UploadRow } from './upload-row.tsx';
import { useSearch } from './use-search.ts';
import './uploads.css';

/** All uploads, newest first, by name if wished. */
export function UploadsPage() {
  const { text, setText, asked } = useSearch();
  const search = asked === '' ? '' : `&search=${encodeURIComponent(asked)}`;
  const list = useListing<UploadWithEnhancements>(`/v1/uploads?limit=20&include=enhancements${search}`);
  const [deleting, setDeleting] = useState<UploadWithEnhancements>();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const items = list.items?.filter(({ id, status }) => status !== 'UPLOAD_DELETED' && !gone.has(id));

  // A page with tombstones only is skipped: each scroll shows uploads, or the end.
  useEffect(() => {
    if (items?.length === 0 && list.hasMore && !list.isLoading && list.error === undefined) list.more();
  }, [items?.length, list.hasMore, list.isLoading]);

  return (
    <>
      <PageHeader title="Uploads" lead="All your uploads with their results, until their day of deletion.">
        <a class="button primary" href="/">
          <Icon name="plus" size={18} /> Enhance more
        </a>
      </PageHeader>
      <div class="search" role="search">
        <Icon name="search" size={18} />
        <input
          type="search"
          aria-label="Search by file name"
          placeholder="Search by file name"
          maxLength={100}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Trouble error={list.error} retry={list.reload} />
      {items === undefined && list.error === undefined && <Loading />}
      {items?.length === 0 && !list.hasMore && <Nothing asked={asked} />}
      {items !== undefined && items.length > 0 && (
        <ul class="uploads" aria-label="Uploads">
          {items.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onDelete={setDeleting} />
          ))}
        </ul>
      )}
      <ShowMore list={list} words="More uploads" />
      <p class="sr-only" role="status">
        {items !== undefined && !list.isLoading && `${items.length} uploads shown.`}
      </p>
      {deleting !== undefined && (
        <DeleteUpload
          upload={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => setGone((before) => new Set(before).add(deleting.id))}
        />
      )}
    </>
  );
}

function Nothing({ asked }: { asked: string }) {
  return asked === '' ? (
    <Empty icon="images" title="No uploads yet">
      Your uploads appear here. <a href="/">Enhance a first photo or PDF</a>
    </Empty>
  ) : (
    <Empty icon="search" title={`No file name contains “${asked}”`}>
      Deleted uploads are not listed.
    </Empty>
  );
}
