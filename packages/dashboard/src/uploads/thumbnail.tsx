import { useState } from 'preact/hooks';
import { Picture } from '../compare/picture.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Upload } from '../api/types.ts';

export function Thumbnail({ upload }: { upload: Upload }) {
  const [failed, setFailed] = useState(false);
  return (
    <span class="thumbnail">
      {hasPicture(upload) && !failed ? (
        <Picture src={`/v1/uploads/${upload.id}/preview`} alt="" lazy onFail={() => setFailed(true)} />
      ) : (
        <Icon name={upload.mimetype === 'application/pdf' ? 'file' : 'images'} size={26} />
      )}
      {upload.mimetype === 'application/pdf' && <small>PDF</small>}
    </span>
  );
}

/** Whether the gateway can show the original. */
export function hasPicture({ status, mimetype, metadata }: Upload): boolean {
  if (status !== 'UPLOAD_FINISHED' || mimetype === null) return false;
  if (mimetype !== 'application/pdf') return true;
  return metadata !== null && metadata.statistics.colorEligible + metadata.statistics.resizeEligible > 0;
}
