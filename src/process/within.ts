/**
 * Waits a limited time for the result of work. The work itself continues.
 * @param ms milliseconds
 * @param late returns or throws the outcome after that time
 */
export async function within<T>(ms: number, late: () => T, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    // In a busy process the result may have arrived unread, so pending events run first.
    timer = setTimeout(() => setImmediate(resolve), ms);
  });
  // A later failure is ignored, since the caller has left.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
