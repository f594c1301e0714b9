import { useLocation } from 'preact-iso';
import { useLayoutEffect } from 'preact/hooks';

/** The way in for whoever is in: on to the first page, and the token of a link does not stay in the address. */
export function AlreadyIn() {
  const { route } = useLocation();
  useLayoutEffect(() => route('/', true), []);
  return null;
}
