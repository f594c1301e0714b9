import { useLocation } from 'preact-iso';
import { useLayoutEffect } from 'preact/hooks';

/** Sends a signed-in user to the first page, and removes the token of a link from the address. */
export function AlreadyIn() {
  const { route } = useLocation();
  useLayoutEffect(() => route('/', true), []);
  return null;
}
