/** Exit codes of a process that a signal ended: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Interrupt {
  signal: AbortSignal;
  /** The exit code for the received signal; undefined without a signal */
  exitCode(): number | undefined;
  /** Restores the default handling of signals */
  release(): void;
}

/** Turns the first Ctrl-C into an abort; the second one ends the process at once, as by default. */
export function listenForInterrupt(onInterrupt: () => void): Interrupt {
  const controller = new AbortController();
  let code: number | undefined;
  const stop = (name: NodeJS.Signals): void => {
    release();
    code = EXIT_CODES[name as keyof typeof EXIT_CODES];
    onInterrupt();
    controller.abort();
  };
  const release = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: controller.signal, exitCode: () => code, release };
}
