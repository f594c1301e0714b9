import { remove } from '../api/client.ts';
import type { ApiKey } from '../api/types.ts';
import { loadSession } from '../session/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Notice } from '../ui/notice.tsx';

export function DeleteKey({
  apiKey: { id, name },
  isOwn,
  onDeleted,
  onClose,
}: {
  apiKey: ApiKey;
  isOwn: boolean;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const work = async (): Promise<void> => {
    await remove(`/v1/api-keys/${id}`);
    if (isOwn) await loadSession();
    else onDeleted();
  };
  return (
    <Confirm title={`Delete ${name}?`} action="Delete key" work={work} onClose={onClose}>
      <p>Requests with this key are refused. This cannot be undone.</p>
      {isOwn && <Notice kind="warning">You are signed in with this key: deleting it signs you out.</Notice>}
    </Confirm>
  );
}
