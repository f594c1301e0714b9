import { counted } from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { once, post } from '../api/client.ts';
import { Confirm } from '../ui/confirm.tsx';

/** Uploads that one request deletes. */
const AT_ONCE = 100;

/** Asks before it deletes. @param props.onDeleted receives the ids of those that are deleted, once or in parts */
export function DeleteUploads({
  uploads,
  onClose,
  onDeleted,
}: {
  uploads: readonly Upload[];
  onClose: () => void;
  onDeleted: (ids: readonly string[]) => void;
}) {
  const [first] = uploads;
  const isOne = uploads.length === 1;
  return (
    <Confirm
      title={isOne ? 'Delete this upload?' : `Delete ${counted(uploads.length, 'upload')}?`}
      action="Delete"
      onClose={onClose}
      work={async () => {
        const ids = uploads.map(({ id }) => id);
        for (let at = 0; at < ids.length; at += AT_ONCE) {
          const body = { ids: ids.slice(at, at + AT_ONCE) };
          await post('/v1/uploads/delete', { body, idempotencyKey: once() });
          onDeleted(body.ids);
        }
      }}
    >
      <p>
        <strong>{isOne ? first!.originalFilename : counted(uploads.length, 'upload')}</strong> and all{' '}
        {isOne ? 'its' : 'their'} results will be deleted permanently. Running enhancements are cancelled, and their
        credits are released.
      </p>
    </Confirm>
  );
}
