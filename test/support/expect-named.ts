import { expect } from '@jest/globals';

type Matchers<T> = ReturnType<typeof expect<T>>;

/**
 * `expect` for one of many values: a failure names the value. Write `expectNamed(size, file).toBe(3)`.
 * @param name prefix of the failure's message
 */
export function expectNamed<T>(value: T, name: string | undefined): Matchers<T> {
  return name === undefined ? expect(value) : naming(expect(value), name);
}

function naming<M extends object>(matchers: M, name: string): M {
  return new Proxy(matchers, {
    get(of, key) {
      const member: unknown = Reflect.get(of, key);
      if (typeof member === 'object' && member !== null) return naming(member, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        try {
          const result: unknown = Reflect.apply(member, of, args);
          return result instanceof Promise ? result.catch((error: unknown) => rethrow(error, name)) : result;
        } catch (error) {
          return rethrow(error, name);
        }
      };
    },
  });
}

function rethrow(error: unknown, name: string): never {
  if (error instanceof Error) {
    const { message } = error;
    error.message = `${name}: ${message}`;
    error.stack = error.stack?.replace(message, () => error.message) ?? error.message;
  }
  throw error;
}
