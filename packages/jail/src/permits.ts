/** A bounded number of permits for work that runs at the same time. */
export interface Permits {
  /** Resolves with a permit: tenants take turns, and each in the order of its requests. @throws the signal's reason */
  acquire(tenant: string, signal: AbortSignal | undefined): Promise<void>;
  /** Passes a permit of the tenant to the next request. */
  release(tenant: string): void;
}

/** @param ofTenant permits that one tenant may have at once. With fewer than there are, another tenant finds one free */
export function createPermits(count: number, ofTenant = count): Permits {
  /** Requests by tenant; the tenant that comes next is first */
  const waiting = new Map<string, (() => void)[]>();
  const held = new Map<string, number>();
  let free = count;

  const mayAcquire = (tenant: string): boolean => free > 0 && (held.get(tenant) ?? 0) < ofTenant;

  function take(tenant: string): void {
    free -= 1;
    held.set(tenant, (held.get(tenant) ?? 0) + 1);
  }

  function giveBack(tenant: string): void {
    free += 1;
    const left = held.get(tenant)! - 1;
    if (left > 0) held.set(tenant, left);
    else held.delete(tenant);
  }

  function takeNext(): void {
    const next = [...waiting].find(([tenant]) => mayAcquire(tenant));
    if (next === undefined) return;
    const [tenant, requests] = next;
    const grant = requests.shift()!;
    waiting.delete(tenant);
    if (requests.length > 0) waiting.set(tenant, requests);
    take(tenant);
    grant();
  }

  return {
    acquire(tenant, signal) {
      if (mayAcquire(tenant)) {
        take(tenant);
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const requests = waiting.get(tenant) ?? [];
        const grant = (): void => {
          signal?.removeEventListener('abort', withdraw);
          resolve();
        };
        const withdraw = (): void => {
          requests.splice(requests.indexOf(grant), 1);
          if (requests.length === 0) waiting.delete(tenant);
          reject(signal?.reason as Error);
        };
        requests.push(grant);
        waiting.set(tenant, requests);
        signal?.addEventListener('abort', withdraw, { once: true });
      });
    },
    release(tenant) {
      giveBack(tenant);
      takeNext();
    },
  };
}
