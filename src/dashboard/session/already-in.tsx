import { useLocation } from 'preact-iso';
import { useLayoutEffect } from 'preact/hooks';
import { leaveForTemporal } from './way-to-temporal.ts';

/** Sends a signed-in user to the first page, and removes the token of a link from the address. */
export function AlreadyIn() {
  const { route } = useLocation();
  useLayoutEffect(() => {
    if (!leaveForTemporal()) route('/', true);
  }, []);
  return null;
}
