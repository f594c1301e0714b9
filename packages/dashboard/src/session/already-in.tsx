import { useLocation } from 'preact-iso';
import { useLayoutEffect } from 'preact/hooks';
import { leaveForTemporal } from './way-to-temporal.ts';

export function AlreadyIn() {
  const { route } = useLocation();
  useLayoutEffect(() => {
    if (!leaveForTemporal()) route('/', true);
  }, []);
  return null;
}
