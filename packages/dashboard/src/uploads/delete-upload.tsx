import type { Upload } from '../api/types.ts';
import { once, remove } from '../api/client.ts';
import { Confirm } from '../ui/confirm.tsx';

export function DeleteUpload({
  upload,
  onClose,
  onDeleted,
}: {
  upload: Upload;
  onClose: () => void;
  onDeleted: () => void;
}) {
  return (
    <Confirm
      title="Delete this upload?"
      action="Delete"
      onClose={onClose}
      work={async () => {
        await remove(`/v1/uploads/${upload.id}`, { idempotencyKey: once() });
        onDeleted();
      }}
    >
      <p>
        <strong>{upload.originalFilename}</strong> and all its results will be deleted permanently. Running enhancements
        are cancelled, and their credits are released.
      </p>
    </Confirm>
  );
}
