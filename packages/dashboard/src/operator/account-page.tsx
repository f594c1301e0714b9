import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { counted, formatNumber, type Plan } from '@burnish/contract';
import { patch, post } from '../api/client.ts';
import type { Account } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { Facts } from '../ui/facts.tsx';
import { Field } from '../ui/field.tsx';
import { TextField } from '../ui/text-field.tsx';
import { formatBytes } from '../ui/format.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { NotLoaded } from '../ui/loaded.tsx';
import { Trouble } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useAction } from '../ui/use-action.ts';
import { ACCOUNT_STATUS } from './accounts-page.tsx';
import { UsageTable } from './usage-page.tsx';

/** One account: its credits, plan and usage. */
export function AccountPage() {
  const path = `/v1/operator/accounts/${useRoute().params['id'] ?? ''}`;
  const resource = useResource<Account>(path);
  const { data: account, error, reload } = resource;
  const plans = useResource<{ items: Plan[] }>('/v1/operator/plans').data?.items ?? [];
  if (account === undefined) {
    return (
      <>
        <PageHeader title="Account" />
        <NotLoaded
          resource={resource}
          missing={
            <Empty icon="key" title="Account not found">
              <a href="/accounts">All accounts</a>
            </Empty>
          }
        />
      </>
    );
  }
  return (
    <>
      <PageHeader title={account.name} lead={<code>{account.id}</code>}>
        {account.testOf !== null && <Badge>Test</Badge>} {ACCOUNT_STATUS[account.status]}
      </PageHeader>
      <Trouble error={error} retry={reload} />
      <Credits account={account} path={path} onChanged={reload} />
      <PlanCard account={account} plans={plans} path={path} onChanged={reload} />
      <section class="card" aria-labelledby="usage">
        <h2 id="usage">Usage of the last 31 days</h2>
        <UsageTable accountId={account.id} />
      </section>
    </>
  );
}

interface PartProps {
  account: Account;
  /** In the REST interface */
  path: string;
  onChanged: () => void;
}

function Credits({ account, path, onChanged }: PartProps) {
  const [isAdding, setAdding] = useState(false);
  const { remainingCreditsThisPeriod: left, effective, openEnhancements } = account;
  return (
    <section class="card" aria-labelledby="credits">
      <div class="card-head">
        <h2 id="credits">Credits</h2>
        {account.status !== 'DELETED' && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            Add credits
          </Button>
        )}
      </div>
      <Facts
        facts={[
          ['Left this month', left === null ? '–' : formatNumber(left)],
          ['Each month', formatNumber(effective.creditsPerPeriod)],
          ['Waiting or running enhancements', formatNumber(openEnhancements)],
        ]}
      />
      {isAdding && <AddCredits path={path} onAdded={onChanged} onClose={() => setAdding(false)} />}
    </section>
  );
}

function AddCredits({ path, onAdded, onClose }: { path: string; onAdded: () => void; onClose: () => void }) {
  const [credits, setCredits] = useState('');
  const [reference, setReference] = useState('');
  const form = useAction(async () => {
    await post(`${path}/credits`, { body: { credits: Number(credits), reference: reference.trim() } });
    onAdded();
    onClose();
  });
  const isIncomplete = !(Number(credits) > 0) || reference.trim() === '';
  return (
    <FormDialog
      title="Add credits"
      action="Add"
      form={form}
      field="credits"
      isIncomplete={isIncomplete}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Field label="Credits" error={error}>
            {(tie) => (
              <input
                {...tie}
                type="number"
                min="1"
                step="1"
                value={credits}
                onInput={({ currentTarget }) => setCredits(currentTarget.value)}
              />
            )}
          </Field>
          <TextField
            label="Reference, such as an invoice; the same one adds nothing twice"
            maxLength={200}
            value={reference}
            onInput={setReference}
          />
        </>
      )}
    </FormDialog>
  );
}

function PlanCard({ account, plans, path, onChanged }: PartProps & { plans: readonly Plan[] }) {
  const [chosen, setChosen] = useState<string>();
  const present = plans.find(({ id }) => id === account.plan);
  const next = plans.find(({ id }) => id === chosen);
  const { effective } = account;
  return (
    <section class="card" aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <Facts
        facts={[
          ['Highest resolution', present === undefined ? '–' : `${formatNumber(present.maxResolution)} DPI`],
          ['Requests each minute', formatNumber(effective.requestsPerMinute)],
          ['Enhancements at a time', formatNumber(effective.jobsAtOnce)],
          ['Storage', `${formatBytes(account.storedBytes)} of ${formatBytes(effective.maxStoredBytes)}`],
        ]}
      />
      {account.status !== 'DELETED' && (
        <Field label="Plan of the account">
          {(tie) => (
            <select
              {...tie}
              value={chosen ?? account.plan}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            >
              {plans.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {next !== undefined && next.id !== account.plan && (
        <Confirm
          title={`Change the plan of ${account.name} to ${next.name}?`}
          action="Change plan"
          kind="primary"
          work={async () => {
            await patch(path, { body: { plan: next.id } });
            onChanged();
          }}
          onClose={() => setChosen(undefined)}
        >
          <p>
            {next.name}: {counted(next.creditsPerPeriod, 'credit')} each month, up to {formatNumber(next.maxResolution)}{' '}
            DPI. More credits apply at once, fewer from the next month on. Accepted work keeps its plan.
          </p>
        </Confirm>
      )}
    </section>
  );
}
