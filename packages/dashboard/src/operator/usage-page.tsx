import { formatNumber, type UsageRow } from '@burnish/contract';
import { useResource } from '../api/use-resource.ts';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Table } from '../ui/table.tsx';

const KINDS = { image: 'Images', pdf: 'PDFs' } as const;

/** What each account used in the last 31 days. */
export function UsagePage() {
  return (
    <>
      <PageHeader title="Usage" lead="Enhancements that ended in the last 31 days, by account, day and kind of file.">
        <a class="button plain" href="/v1/operator/usage?format=csv" download>
          Download CSV
        </a>
      </PageHeader>
      <section class="card" aria-label="Usage">
        <UsageTable />
      </section>
    </>
  );
}

/** @param accountId absent: of all accounts, with their names */
export function UsageTable({ accountId }: { accountId?: string }) {
  const query = accountId === undefined ? '' : `?accountId=${accountId}`;
  const usage = useResource<{ items: UsageRow[] }>(`/v1/operator/usage${query}`);
  const account = { title: 'Account', cell: ({ accountName }: UsageRow) => accountName };
  return (
    <Loaded resource={usage}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="soft">No enhancement has ended in these days.</p>
        ) : (
          <Table<UsageRow>
            caption="Usage by account, day and kind"
            rows={items}
            rowKey={({ accountId, day, kind }) => `${accountId} ${day} ${kind}`}
            columns={[
              ...(accountId === undefined ? [account] : []),
              { title: 'Day', cell: ({ day }) => day },
              { title: 'Kind', cell: ({ kind }) => KINDS[kind] },
              { title: 'Finished', align: 'end', cell: ({ finished }) => formatNumber(finished) },
              { title: 'Failed', align: 'end', cell: ({ failed }) => formatNumber(failed) },
              { title: 'Credits', align: 'end', cell: ({ credits }) => formatNumber(credits) },
            ]}
          />
        )
      }
    </Loaded>
  );
}
