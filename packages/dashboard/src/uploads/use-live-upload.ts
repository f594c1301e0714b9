import { useEffect, useState } from 'preact/hooks';
import { watchUpload, type LiveUpload } from './live-upload.ts';

/** Watches an upload while the component is mounted. Undefined before the first read. */
export function useLiveUpload(id: string): LiveUpload | undefined {
  const [live, setLive] = useState<LiveUpload>();
  useEffect(() => {
    const made = watchUpload(id);
    setLive(made);
    return () => made.close();
  }, [id]);
  return live?.id === id ? live : undefined;
}
