import { LocationProvider, Route, Router } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { CLIENT_PATHS } from './paths.ts';
import { PAGES } from './routes.ts';
import { AlreadyIn } from './session/already-in.tsx';
import { NotFoundPage } from './session/not-found-page.tsx';
import { loadSession, session, sessionTrouble } from './session/session.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { Shell } from './shell/shell.tsx';
import { focusPage } from './ui/focus-page.ts';
import { Trouble } from './ui/notice.tsx';
import { Loading } from './ui/progress.tsx';

/** The dashboard: nobody signed in sees the way in, whatever the address; the address stays for afterwards. */
export function App() {
  useEffect(() => void loadSession(), []);
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
  if (session.value === null) return <SignInPage />;
  return (
    <Shell session={session.value}>
      <Router onRouteChange={focusPage}>
        {PAGES.map(({ path, component }) => (
          <Route key={path} path={path} component={component} />
        ))}
        <Route path="/sign-in" component={AlreadyIn} />
        <Route default component={NotFoundPage} />
      </Router>
    </Shell>
  );
}
