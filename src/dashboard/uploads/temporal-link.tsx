import { session } from '../session/session.ts';
import { Icon } from '../ui/icon.tsx';

/** The way to a workflow in the Web UI of Temporal, where the instance says where that is. */
export function TemporalLink({ workflowId }: { workflowId: string }) {
  const temporal = session.value?.temporalUi;
  if (!temporal) return null;
  const { url, namespace } = temporal;
  return (
    <a
      class="temporal-link small"
      href={`${url}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`}
      target="_blank"
      rel="noopener"
    >
      Workflow <Icon name="external" size={14} />
      <span class="sr-only">in the Temporal Web UI, in a new tab</span>
    </a>
  );
}
