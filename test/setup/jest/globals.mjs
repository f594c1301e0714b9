import { GLOBALS } from './typescript.mjs';

// The package '@jest/globals' throws outside of a VM context.
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } =
  /** @type {typeof import('@jest/globals')} */ (Reflect.get(globalThis, GLOBALS));
