/**
 * Looks at a child at an interval, and ends it with the first reason that a look finds. Looks never overlap, and the timer does not
 * keep the process alive.
 * @param look returns the reason to end the child, or undefined
 * @param end called once
 * @param startsNow whether the first look is at once, or after one interval
 * @returns a function that stops the watch
 */
export function watch(
  intervalMs: number,
  look: () => Promise<Error | undefined>,
  end: (reason: Error) => void,
  startsNow: boolean,
): () => void {
  let isLooking = false;
  let isWatching = true;
  const lookOnce = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const reason = await look();
    isLooking = false;
    if (reason === undefined || !isWatching) return;
    stop();
    end(reason);
  };
  const timer = setInterval(() => void lookOnce(), intervalMs).unref();
  if (startsNow) void lookOnce();

  function stop(): void {
    isWatching = false;
    clearInterval(timer);
  }
  return stop;
}
