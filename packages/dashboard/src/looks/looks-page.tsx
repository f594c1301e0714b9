import { useEffect, useState } from 'preact/hooks';
import type { Look } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { BuildLook } from './build-look.tsx';
import { deleteLook, looks, readLooks } from './looks.ts';

/** The looks of the account, and the way to a new one. */
export function LooksPage() {
  const [open, setOpen] = useState<'build' | Look>();
  const { error, run } = useAction(readLooks);
  useEffect(run, []);
  return (
    <>
      <PageHeader
        title="Looks"
        lead="A look gives light and colour as your finished pictures have them. Orders name it in place of a mode."
      >
        {open !== 'build' && (
          <Button kind="primary" icon="plus" onClick={() => setOpen('build')}>
            Build a look
          </Button>
        )}
      </PageHeader>
      {open === 'build' && <BuildLook onClose={() => setOpen(undefined)} />}
      <Loaded resource={{ data: looks.value, error, reload: run }}>
        {(items) =>
          items.length === 0 ? (
            open !== 'build' && (
              <Empty icon="sliders" title="No looks yet">
                Choose at least 16 pictures that you have finished.
              </Empty>
            )
          ) : (
            <LookTable items={items} onDelete={setOpen} />
          )
        }
      </Loaded>
      {typeof open === 'object' && (
        <Confirm
          title={`Delete ${open.name}?`}
          action="Delete look"
          work={() => deleteLook(open.name)}
          onClose={() => setOpen(undefined)}
        >
          <p>Enhancements keep its light and colour. Orders and presets that name it are refused.</p>
        </Confirm>
      )}
    </>
  );
}

function LookTable({ items, onDelete }: { items: readonly Look[]; onDelete: (look: Look) => void }) {
  return (
    <section class="card" aria-label="Looks">
      <Table<Look>
        caption="Looks"
        rows={[...items]}
        rowKey={({ name }) => name}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Version', cell: ({ version }) => version },
          { title: 'Pictures', cell: ({ proof }) => proof.pictures },
          { title: 'Nearer than Enhance by', cell: ({ proof }) => `${proof.gain.toFixed(1)} ΔE` },
          { title: 'Worst picture', cell: ({ proof }) => `${proof.worst.toFixed(1)} ΔE` },
          { title: 'Built', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            hideTitle: true,
            align: 'end',
            cell: (look) => (
              <Button kind="quiet" icon="trash" aria-label={`Delete ${look.name}`} onClick={() => onDelete(look)}>
                Delete
              </Button>
            ),
          },
        ]}
      />
    </section>
  );
}
