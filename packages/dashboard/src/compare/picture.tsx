import { useEffect, useState } from 'preact/hooks';

/** Milliseconds before a failed picture is requested again: the gateway makes one at a time. */
const PAUSES = [1000, 2500, 5000];

/** A preview of the gateway, which may take a moment to be made. */
export function Picture({
  src,
  alt,
  lazy = false,
  onShow,
  onFail,
  ...rest
}: {
  src: string;
  alt: string;
  lazy?: boolean;
  style?: Record<string, string>;
  class?: string;
  onShow?: () => void;
  onFail?: () => void;
}) {
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(false);
  useEffect(() => setTries(0), [src]);
  useEffect(() => {
    if (!failed) return;
    const pause = PAUSES[tries];
    if (pause === undefined) {
      onFail?.();
      return;
    }
    const timer = setTimeout(() => {
      setFailed(false);
      setTries(tries + 1);
    }, pause);
    return () => clearTimeout(timer);
  }, [failed]);

  return (
    <img
      key={`${src} ${tries}`}
      src={src}
      alt={alt}
      loading={lazy ? 'lazy' : 'eager'}
      draggable={false}
      decoding="async"
      onLoad={() => onShow?.()}
      onError={() => setFailed(true)}
      {...rest}
    />
  );
}
