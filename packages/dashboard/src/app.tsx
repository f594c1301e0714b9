import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { CLIENT_PATHS } from './paths.ts';
import { OPERATOR_PAGES } from './operator/operator-routes.ts';
import { PAGES, type Page } from './routes.ts';
import { takeToken } from './session/link-token.ts';
import { loadSession, operatorSession, session, sessionTrouble } from './session/session.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { Shell } from './shell/shell.tsx';
import { focusPage, keepFocus } from './ui/focus-page.ts';
import { Trouble } from './ui/notice.tsx';
import { Loading } from './ui/progress.tsx';
import { leaveForTemporal } from './session/way-to-temporal.ts';
import { PageHeader } from './ui/page-header.tsx';

/** The dashboard. A person without a session sees the sign-in page at every address, and returns to the address afterwards. */
export function App() {
  useEffect(() => void loadSession(), []);
  useEffect(keepFocus, []);
  return (
    <LocationProvider scope={CLIENT_PATHS}>
      <Content />
    </LocationProvider>
  );
}

function Content() {
  if (sessionTrouble.value !== undefined) {
    return (
      <main class="alone">
        <Trouble error={sessionTrouble.value} retry={() => void loadSession()} />
      </main>
    );
  }
  if (session.value === undefined) {
    return (
      <main class="alone">
        <Loading />
      </main>
    );
  }
  if (operatorSession.value !== undefined) {
    return <Pages pages={OPERATOR_PAGES} name="Operator" detail="Signed in with the operator's key" />;
  }
  if (session.value === null) return <SignInPage />;
  const { account, key } = session.value;
  return <Pages pages={PAGES} name={account.name} detail={`Signed in with “${key.name}”`} />;
}

function Pages({ pages, ...who }: { pages: readonly Page[]; name: string; detail: string }) {
  // A person with a session needs no token of a link.
  useEffect(() => void takeToken(), []);
  return (
    <Shell pages={pages} {...who}>
      <Router onRouteChange={focusPage}>
        {pages.map(({ path, component }) => (
          <Route key={path} path={path} component={component} />
        ))}
        <Route path="/sign-in" component={AlreadyIn} />
        <Route default component={NotFoundPage} />
      </Router>
    </Shell>
  );
}

function AlreadyIn() {
  const { route } = useLocation();
  useLayoutEffect(() => {
    if (!leaveForTemporal()) route('/', true);
  }, []);
  return null;
}

function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" lead="The dashboard has no page at this address." />
      <p>
        <a href="/">Go to Enhance</a>
      </p>
    </>
  );
}
