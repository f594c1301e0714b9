import { closedFailure } from './failures.ts';
import type { SandboxChild } from './child-process.ts';

export interface ChildPoolOptions {
  /** Idle children that stay whatever their memory */
  kept: number;
  /** Resident memory of all idle children beyond them, bytes */
  idleMemoryBytes: number;
  /** A child is replaced after this many tasks */
  tasksPerChild: number;
  start: () => SandboxChild;
}

/**
 * Children that each serve one account for their whole life, so that a decoder that a file has taken over meets no bytes of
 * another account.
 */
export interface ChildPool {
  /** Returns a child of this account, or one that has served nobody. @throws Failure UNAVAILABLE when the pool is closed */
  take(account: string): SandboxChild;
  giveBack(child: SandboxChild): Promise<void>;
  /** Ends all children. */
  close(): Promise<void>;
}

/** A child with its account, and its resident memory after its last task. */
interface Assigned {
  account: string;
  bytes: number;
}

export function createChildPool(options: ChildPoolOptions): ChildPool {
  const { kept, idleMemoryBytes, tasksPerChild, start } = options;
  const unused: SandboxChild[] = [];
  /** Idle children, the least recently used first */
  const idle: SandboxChild[] = [];
  const assigned = new Map<SandboxChild, Assigned>();
  const all = new Set<SandboxChild>();
  let closed = false;

  function startChild(): SandboxChild {
    const child = start();
    all.add(child);
    return child;
  }

  async function retire(child: SandboxChild): Promise<void> {
    assigned.delete(child);
    await child.kill();
    all.delete(child);
  }

  function findIdle(account: string): SandboxChild | undefined {
    const at = idle.findLastIndex((child) => assigned.get(child)?.account === account);
    return at === -1 ? undefined : idle.splice(at, 1)[0];
  }

  function choose(account: string): SandboxChild {
    for (let child = findIdle(account); child !== undefined; child = findIdle(account)) {
      if (child.usable()) return child;
      void retire(child);
    }
    const isShared = [...assigned.values()].some((other) => other.account !== account);
    let child = unused.pop() ?? startChild();
    if (!child.usable()) {
      void retire(child);
      child = startChild();
    }
    assigned.set(child, { account, bytes: 0 });
    // Where accounts take turns, the next one does not wait for a start.
    if (isShared && unused.length === 0) unused.push(startChild());
    return child;
  }

  /** Ends idle children until the others fit into their memory. */
  function trim(): void {
    const bytes = (): number => idle.reduce((sum, child) => sum + (assigned.get(child)?.bytes ?? 0), 0);
    while (idle.length > kept && bytes() > idleMemoryBytes) void retire(idle.shift()!);
  }

  return {
    take(account) {
      if (closed) throw closedFailure();
      return choose(account);
    },
    async giveBack(child) {
      const isSpent = !child.usable() || child.tasksDone() >= tasksPerChild;
      if (closed || isSpent) {
        void retire(child);
        if (!closed && unused.length === 0) unused.push(startChild());
      } else {
        idle.push(child);
      }
      if (idle.length <= kept) return;
      const known = assigned.get(child);
      if (known !== undefined) known.bytes = await child.memoryBytes();
      trim();
    },
    async close() {
      closed = true;
      await Promise.all([...all].map(retire));
    },
  };
}
