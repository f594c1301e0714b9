import { useState } from 'preact/hooks';
import { Picture } from '../compare/picture.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Upload } from '../api/types.ts';

/** The picture of an upload in small; a sign in its place for PDFs, and where there is none. */
export function Thumbnail({ upload }: { upload: Upload }) {
  const [failed, setFailed] = useState(false);
  const isPicture = upload.status === 'UPLOAD_FINISHED' && upload.mimetype?.startsWith('image/') === true;
  return (
    <span class="thumbnail">
      {isPicture && !failed ? (
        <Picture src={`/v1/uploads/${upload.id}/preview`} alt="" lazy onFail={() => setFailed(true)} />
      ) : (
        <Icon name={upload.mimetype === 'application/pdf' ? 'file' : 'images'} size={26} />
      )}
      {upload.mimetype === 'application/pdf' && <small>PDF</small>}
    </span>
  );
}
