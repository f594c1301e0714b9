import { useState } from 'preact/hooks';
import { formatNumber, type Plan } from '@burnish/contract';
import { post, remove } from '../api/client.ts';
import type { Account } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { useResource } from '../api/use-resource.ts';
import { SandboxNotice } from '../session/sandbox-notice.tsx';
import { operatorSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { Trouble } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Table } from '../ui/table.tsx';
import { useAction } from '../ui/use-action.ts';
import { CreateAccount } from './create-account.tsx';

export const ACCOUNT_STATUS = {
  ACTIVE: <Badge tone="good">Active</Badge>,
  SUSPENDED: <Badge tone="warning">Suspended</Badge>,
  DELETED: <Badge>Deleted</Badge>,
} as const;

/** The accounts of the instance, with their plans and remaining credits. */
export function AccountsPage() {
  const list = useListing<Account>('/v1/operator/accounts?limit=50');
  const { reload } = list;
  const plans = useResource<{ items: Plan[] }>('/v1/operator/plans').data?.items ?? [];
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Account>();
  const change = useAction(async (work: () => Promise<unknown>) => {
    await work();
    reload();
  });

  return (
    <>
      <PageHeader title="Accounts" lead="Each account has its own keys, files, credits and plan.">
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          Create account
        </Button>
      </PageHeader>
      <SandboxNotice sentence={operatorSession.value?.sandboxMissing ?? null} />
      <section class="card" aria-label="Accounts">
        <Trouble error={change.error} />
        <LoadedList list={list} empty={<p class="soft">There is no account yet.</p>}>
          {(items) => (
            <Table<Account>
              caption="Accounts, newest first"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  title: 'Account',
                  cell: ({ id, name, testOf }) => (
                    <>
                      <a href={`/accounts/${id}`}>{name}</a> {testOf !== null && <Badge>Test</Badge>}{' '}
                      <code class="soft">{id}</code>
                    </>
                  ),
                },
                { title: 'Status', cell: ({ status }) => ACCOUNT_STATUS[status] },
                {
                  title: 'Plan',
                  cell: ({ plan }) => plans.find(({ id }) => id === plan)?.name ?? plan,
                },
                {
                  title: 'Credits left',
                  align: 'end',
                  cell: ({ remainingCreditsThisPeriod: left }) => (left === null ? '–' : formatNumber(left)),
                },
                {
                  title: 'Waiting or running',
                  align: 'end',
                  cell: ({ openEnhancements }) => formatNumber(openEnhancements),
                },
                {
                  title: 'Actions',
                  hideTitle: true,
                  align: 'end',
                  cell: (account) => account.status !== 'DELETED' && actions(account),
                },
              ]}
            />
          )}
        </LoadedList>
      </section>
      {isCreating && <CreateAccount plans={plans} onCreated={reload} onClose={() => setCreating(false)} />}
      {deleting !== undefined && (
        <Confirm
          title={`Delete ${deleting.name}?`}
          action="Delete account"
          work={async () => {
            await remove(`/v1/operator/accounts/${deleting.id}`);
            reload();
          }}
          onClose={() => setDeleting(undefined)}
        >
          <p>
            Its keys become invalid at once, and its files are deleted within minutes. Its ledger and a receipt remain.
          </p>
        </Confirm>
      )}
    </>
  );

  function actions(account: Account) {
    const [verb, label] = account.status === 'SUSPENDED' ? ['resume', 'Resume'] : ['suspend', 'Suspend'];
    return (
      <>
        <Button
          kind="quiet"
          aria-label={`${label} ${account.name}`}
          onClick={() => change.run(() => post(`/v1/operator/accounts/${account.id}/${verb}`))}
        >
          {label}
        </Button>
        <Button kind="quiet" icon="trash" aria-label={`Delete ${account.name}`} onClick={() => setDeleting(account)} />
      </>
    );
  }
}
