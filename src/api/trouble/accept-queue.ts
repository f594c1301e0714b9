/** The connections that a server takes, as far as they tell of more that wait. */
export interface AcceptQueue {
  /** The server calls it for each connection. */
  taken(): void;
  /** Connections taken since the last turn of the event loop that took none; while it grows, more of them wait. */
  inARow(): number;
}

/**
 * The kernel does not tell how many connections wait. A server takes only some in each turn of its event loop, so the queue was
 * empty when a turn takes none.
 */
export function createAcceptQueue(): AcceptQueue {
  let inARow = 0;
  let before = 0;
  let isCounting = false;

  function afterTurn(): void {
    isCounting = inARow > before;
    before = inARow = isCounting ? inARow : 0;
    if (isCounting) setImmediate(afterTurn);
  }

  return {
    taken() {
      inARow += 1;
      if (isCounting) return;
      isCounting = true;
      setImmediate(afterTurn);
    },
    inARow: () => inARow,
  };
}
