import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../routes.ts';
import { signOut } from '../session/session.ts';
import { Icon } from '../ui/icon.tsx';
import { Trouble } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { Brand } from './brand.tsx';

export function Shell({
  pages,
  name,
  detail,
  children,
}: {
  pages: readonly Page[];
  name: string;
  detail: string;
  children: ComponentChildren;
}) {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);

  return (
    <div class="shell">
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <header class="sidebar">
        <div class="sidebar-top">
          <Brand />
          <button
            type="button"
            class="menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
            onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
            Menu
          </button>
        </div>
        <div id="menu" class={isOpen ? 'menu open' : 'menu'}>
          <nav aria-label="Main">
            <ul>
              {pages.map(
                ({ path: to, menu }) =>
                  menu && (
                    <li key={to}>
                      <a href={to} aria-current={isAt(path, to) ? 'page' : undefined}>
                        <Icon name={menu.icon} />
                        {menu.label}
                      </a>
                    </li>
                  ),
              )}
            </ul>
          </nav>
          <Account name={name} detail={detail} />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Account({ name, detail }: { name: string; detail: string }) {
  const leave = useAction(signOut);
  return (
    <div class="account">
      <p>
        <strong>{name}</strong>
        <span>{detail}</span>
      </p>
      <ul>
        <li>
          <a href="/guide/" target="_blank" rel="noopener">
            Guide
          </a>
        </li>
        <li>
          <a href="/docs" target="_blank" rel="noopener">
            API documentation
          </a>
        </li>
        <li>
          <button type="button" class="link" onClick={leave.run}>
            Sign out
          </button>
        </li>
      </ul>
      <Trouble error={leave.error} />
    </div>
  );
}

/** The page of an upload belongs to the menu entry Uploads. */
const isAt = (path: string, to: string): boolean => path === to || (to !== '/' && path.startsWith(`${to}/`));
