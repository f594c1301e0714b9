import { useState } from 'preact/hooks';
import { SCOPES } from '@burnish/contract';
import type { ApiKey, Listing } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { session, loadSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { formatDay } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { CreateKey } from './create-key.tsx';
import { remove } from '../api/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Notice } from '../ui/notice.tsx';

export function KeysPage() {
  const [isAll, setAll] = useState(false);
  const keys = useResource<Listing<ApiKey>>(`/v1/api-keys${isAll ? '?includeInternal=true' : ''}`);
  const [open, setOpen] = useState<'create' | ApiKey>();
  const ownId = session.value?.key.id;

  return (
    <>
      <PageHeader
        title="API keys"
        lead="Programs send a key in the header x-api-key. Use a separate key for each program."
      >
        <Button kind="primary" icon="plus" onClick={() => setOpen('create')}>
          Create new key
        </Button>
      </PageHeader>
      <label class="choice">
        <input type="checkbox" checked={isAll} onChange={({ currentTarget: { checked } }) => setAll(checked)} />
        <span>Show the keys that Burnish created for itself</span>
      </label>
      <Loaded resource={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="key" title="No API keys" />
          ) : (
            <section class="card" aria-label="API keys">
              <Table<ApiKey>
                caption="API keys"
                rows={items}
                rowKey={({ id }) => id}
                columns={[
                  {
                    title: 'Name',
                    cell: ({ id, name, internal, test }) => (
                      <>
                        {name} {internal && <Badge>Internal</Badge>} {test && <Badge>Test</Badge>}{' '}
                        {id === ownId && <Badge tone="good">You are signed in with it</Badge>}
                      </>
                    ),
                  },
                  { title: 'Key', cell: ({ prefix }) => <code>{prefix}…</code> },
                  {
                    title: 'Scopes',
                    cell: ({ scopes }) => (scopes.length === SCOPES.length ? 'All' : scopes.join(', ')),
                  },
                  {
                    title: 'Expires',
                    cell: ({ expiresAt }) =>
                      expiresAt === null ? <span class="soft">Never</span> : formatDay(expiresAt),
                  },
                  { title: 'Created', cell: ({ createdAt }) => formatDay(createdAt) },
                  {
                    title: 'Last used',
                    cell: ({ lastUsedAt, lastUsedAddress }) =>
                      lastUsedAt === null ? (
                        <span class="soft">Never</span>
                      ) : (
                        <>
                          <Time at={lastUsedAt} />
                          {lastUsedAddress !== null && <span class="soft"> from {lastUsedAddress}</span>}
                        </>
                      ),
                  },
                  {
                    title: 'Actions',
                    hideTitle: true,
                    align: 'end',
                    cell: (key) => (
                      <Button kind="quiet" icon="trash" aria-label={`Delete ${key.name}`} onClick={() => setOpen(key)}>
                        Delete
                      </Button>
                    ),
                  },
                ]}
              />
            </section>
          )
        }
      </Loaded>
      {open === 'create' && <CreateKey onCreated={keys.reload} onClose={() => setOpen(undefined)} />}
      {typeof open === 'object' && (
        <DeleteKey apiKey={open} isOwn={open.id === ownId} onDeleted={keys.reload} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

function DeleteKey({
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
