import { JailError } from '../jail-error.ts';
import type { Child } from './child-process.ts';

export interface ChildPoolOptions<P> {
  /** Idle children that stay whatever their memory */
  kept: number;
  /** Resident memory of all idle children beyond them, bytes */
  idleMemoryBytes: number;
  /** A child is replaced after this many tasks */
  tasksPerChild: number;
  /** A child without a task ends after this time, milliseconds */
  idleMs: number;
  start: () => Child<P>;
}

/** Children that each serve one tenant for their whole life, so that a compromised child meets no bytes of another tenant. */
export interface ChildPool<P> {
  /** Returns a child of this tenant, or one that has served nobody. @throws JailError CLOSED */
  take(tenant: string): Child<P>;
  giveBack(child: Child<P>): Promise<void>;
  /** Ends all children. */
  close(): Promise<void>;
}

/** A child with its tenant, and its resident memory after its last task. */
interface Assigned {
  tenant: string;
  bytes: number;
}

export function createChildPool<P>(options: ChildPoolOptions<P>): ChildPool<P> {
  const { kept, idleMemoryBytes, tasksPerChild, idleMs, start } = options;
  const unused: Child<P>[] = [];
  /** Idle children, the least recently used first */
  const idle: Child<P>[] = [];
  const assigned = new Map<Child<P>, Assigned>();
  const all = new Set<Child<P>>();
  const ends = new Map<Child<P>, NodeJS.Timeout>();
  let closed = false;

  function startChild(): Child<P> {
    const child = start();
    all.add(child);
    return child;
  }

  /** Keeps a child for later, but not for ever. */
  function keep(child: Child<P>, list: Child<P>[]): void {
    list.push(child);
    const end = (): void => {
      list.splice(list.indexOf(child), 1);
      void retire(child);
    };
    ends.set(child, setTimeout(end, idleMs).unref());
  }

  /** The end of a child in a list must not come once it is out of it. */
  function taken(child: Child<P> | undefined): Child<P> | undefined {
    if (child === undefined) return undefined;
    clearTimeout(ends.get(child));
    ends.delete(child);
    return child;
  }

  async function retire(child: Child<P>): Promise<void> {
    taken(child);
    assigned.delete(child);
    await child.kill();
    all.delete(child);
  }

  function findIdle(tenant: string): Child<P> | undefined {
    const at = idle.findLastIndex((child) => assigned.get(child)?.tenant === tenant);
    return at === -1 ? undefined : taken(idle.splice(at, 1)[0]);
  }

  function choose(tenant: string): Child<P> {
    for (let child = findIdle(tenant); child !== undefined; child = findIdle(tenant)) {
      if (child.usable()) return child;
      void retire(child);
    }
    const isShared = [...assigned.values()].some((other) => other.tenant !== tenant);
    let child = taken(unused.pop()) ?? startChild();
    if (!child.usable()) {
      void retire(child);
      child = startChild();
    }
    assigned.set(child, { tenant, bytes: 0 });
    // Where tenants take turns, the next one does not wait for a start.
    if (isShared && unused.length === 0) keep(startChild(), unused);
    return child;
  }

  /** Ends idle children until the others fit into their memory. */
  function trim(): void {
    const bytes = (): number => idle.reduce((sum, child) => sum + (assigned.get(child)?.bytes ?? 0), 0);
    while (idle.length > kept && bytes() > idleMemoryBytes) void retire(idle.shift()!);
  }

  return {
    take(tenant) {
      if (closed) throw new JailError('CLOSED');
      return choose(tenant);
    },
    async giveBack(child) {
      const isSpent = !child.usable() || child.tasksDone() >= tasksPerChild;
      if (closed || isSpent) {
        void retire(child);
        if (!closed && unused.length === 0) keep(startChild(), unused);
      } else {
        keep(child, idle);
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
