import { register } from 'node:module';

/** The key of the object on globalThis that holds what a test file imports from '@jest/globals'. */
export const GLOBALS = Symbol.for('burnish.jest-globals');

// Node.js itself loads tests and sources, as it does in production.
register('./typescript-hooks.mjs', import.meta.url);
