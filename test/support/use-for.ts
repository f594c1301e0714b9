import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

type Hook = (hook: () => Promise<void>) => void;

/** One part for all tests of a file. It exists from the first hook on. */
export const useForFile = <Part extends AsyncDisposable>(open: () => Promise<Part>): Part =>
  use(open, beforeAll, afterAll);

/** A new part for each test of a file or group. */
export const useForEach = <Part extends AsyncDisposable>(open: () => Promise<Part>): Part =>
  use(open, beforeEach, afterEach);

function use<Part extends AsyncDisposable>(open: () => Promise<Part>, before: Hook, after: Hook): Part {
  // It is empty if it failed to open.
  let part: Partial<Part> = {};
  before(async () => {
    part = await open();
  });
  after(async () => await part[Symbol.asyncDispose]?.());
  return new Proxy({} as Part, {
    get: (_, key) => Reflect.get(part, key),
    set: (_, key, value) => Reflect.set(part, key, value),
    ownKeys: () => Reflect.ownKeys(part),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(part, key),
  });
}
