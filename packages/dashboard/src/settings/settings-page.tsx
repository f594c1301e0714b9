import { formatNumber, workflowsUrl } from '@burnish/contract';
import { session } from '../session/session.ts';
import { Facts } from '../ui/facts.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Retention } from './retention.tsx';
import './settings.css';

export function SettingsPage() {
  const current = session.value;
  if (!current) return null;
  const { account, plan, version, engineVersion, sandbox, temporalUi } = current;
  return (
    <>
      <PageHeader title="Settings" />
      <Retention />
      <section class="card" aria-labelledby="plan">
        <h2 id="plan">Plan</h2>
        <Facts
          facts={[
            ['Plan', plan.name],
            ['Highest resolution of PDF images', `${formatNumber(plan.maxResolution)} DPI`],
            ['Account', account.name],
          ]}
        />
        <p class="hint">The operator of this instance sets plan and monthly credits.</p>
      </section>
      <section class="card" aria-labelledby="instance">
        <h2 id="instance">This instance</h2>
        <Facts
          facts={[
            ['Burnish', version],
            ['Engine', engineVersion],
            ['Decoder sandbox', sandbox],
          ]}
        />
        <ul class="links">
          <Elsewhere href="/guide/">Guide</Elsewhere>
          <Elsewhere href="/docs">API documentation</Elsewhere>
          <Elsewhere href="/graphiql">GraphiQL</Elsewhere>
          {temporalUi !== null && (
            <Elsewhere href={workflowsUrl(temporalUi)}>Workflows in the Temporal Web UI</Elsewhere>
          )}
        </ul>
      </section>
    </>
  );
}

function Elsewhere({ href, children }: { href: string; children: string }) {
  return (
    <li>
      <a href={href} target="_blank" rel="noopener">
        {children} <Icon name="external" size={16} />
      </a>
    </li>
  );
}
