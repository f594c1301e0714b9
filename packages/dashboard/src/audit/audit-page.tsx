import { useState } from 'preact/hooks';
import { AUDIT_ACTIONS } from '@burnish/contract';
import type { AuditEntry } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { Field } from '../ui/field.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

const ACTORS: Record<AuditEntry['actor'], string> = {
  key: 'A program',
  session: 'The dashboard',
  operator: 'The operator',
  workflow: 'A workflow',
  burnish: 'Burnish',
};

/** The audit log: action, actor, origin and time. Entries are only ever added. */
export function AuditPage() {
  const [action, setAction] = useState('');
  return (
    <>
      <PageHeader
        title="Audit log"
        lead="Each action with its actor, address and time. Nobody can change or delete an entry."
      />
      <section class="card" aria-label="Audit log">
        <Field label="Action">
          {(tie) => (
            <select {...tie} value={action} onChange={(event) => setAction(event.currentTarget.value)}>
              <option value="">All actions</option>
              {Object.entries(AUDIT_ACTIONS).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        {/* Each filter has a separate list, so that pages of two filters do not mix. */}
        <Entries key={action} action={action} />
      </section>
    </>
  );
}

function Entries({ action }: { action: string }) {
  const path = `/v1/audit?limit=20${action === '' ? '' : `&action=${action}`}`;
  const list = useListing<AuditEntry>(path);
  return (
    <LoadedList list={list} empty={<p class="soft">No entry matches the filter. Choose another action.</p>}>
      {(items) => (
        <Table<AuditEntry>
          caption="Entries of the audit log, newest first"
          rows={items}
          rowKey={({ seq }) => seq}
          columns={[
            { title: 'When', cell: ({ at }) => <Time at={at} exact /> },
            {
              title: 'Action',
              cell: ({ action, subjectId }) => (
                <span>
                  {AUDIT_ACTIONS[action]}
                  {subjectId !== null && <code class="soft one-line">{subjectId}</code>}
                </span>
              ),
            },
            { title: 'Details', cell: ({ details }) => <span class="soft facts">{inWords(details)}</span> },
            {
              title: 'Who',
              cell: ({ actor, keyId, keyName }) => (
                <>
                  {ACTORS[actor]}
                  {keyId !== null && (
                    <span class="soft" title={keyId}>
                      {' '}
                      with {keyName ?? 'a deleted key'}
                    </span>
                  )}
                </>
              ),
            },
            { title: 'From', cell: ({ address }) => address ?? '–' },
          ]}
        />
      )}
    </LoadedList>
  );
}

function inWords(details: Record<string, unknown>): string {
  const facts = Object.entries(details).filter(([, value]) => value !== null);
  return facts.map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`).join('; ');
}
