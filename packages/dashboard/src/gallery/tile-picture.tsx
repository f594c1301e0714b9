import { useEffect, useState } from 'preact/hooks';
import { Picture } from '../compare/picture.tsx';
import type { Enhancement, Upload } from '../api/types.ts';
import { Icon } from '../ui/icon.tsx';
import { hasPicture } from '../uploads/thumbnail.tsx';

/** Milliseconds that a tile stays before its picture is requested, so that a fast scroll requests none. */
const SETTLED_MS = 120;

/** The result of an upload, or the original while there is none or at a person's wish. */
export function TilePicture({
  upload,
  result,
  isBefore,
  isScrolling,
}: {
  upload: Upload;
  result: Enhancement | undefined;
  isBefore: boolean;
  isScrolling: boolean;
}) {
  const [isWanted, setWanted] = useState(!isScrolling);
  const [failed, setFailed] = useState({ before: false, after: false });
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    if (isWanted) return;
    const timer = setTimeout(() => setWanted(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  const isPdf = upload.mimetype === 'application/pdf';
  const hasAfter = result !== undefined && !failed.after;
  const hasBefore = hasPicture(upload) && !failed.before;
  const showsBefore = hasBefore && (isBefore || !hasAfter);
  return (
    <span class={isPdf ? 'tile-picture page' : 'tile-picture'}>
      {isWanted && hasAfter && (
        <Picture
          src={`/v1/enhancements/${result.id}/preview`}
          alt=""
          onFail={() => setFailed((now) => ({ ...now, after: true }))}
        />
      )}
      {isWanted && showsBefore && (
        <Picture
          src={`/v1/uploads/${upload.id}/preview`}
          alt=""
          onShow={() => setThere(true)}
          onFail={() => setFailed((now) => ({ ...now, before: true }))}
        />
      )}
      {!hasAfter && !hasBefore && <Icon name={isPdf ? 'file' : 'images'} size={32} />}
      {/* The label names the upper picture, so it waits for it. */}
      {hasAfter && showsBefore && isThere && <small class="picture-tag">Before</small>}
    </span>
  );
}
