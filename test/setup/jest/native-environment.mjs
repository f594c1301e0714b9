import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** The key on globalThis of jest-circus's state; test/support/running-test.ts reads it. */
const STATE = Symbol.for('burnish.jest-state');

/**
 * Runs tests in the process's own realm. In a VM context, native addons, WebAssembly and node:* modules make objects of another
 * realm, so that `instanceof` fails on their errors and typed arrays.
 *
 * @implements {import('@jest/environment').JestEnvironment}
 */
export default class NativeEnvironment {
  global = globalThis;
  fakeTimers = null;

  /** @param {import('@jest/environment').JestEnvironmentConfig} config */
  constructor({ projectConfig }) {
    this.moduleMocker = new ModuleMocker(globalThis);
    /** A hook that starts servers takes longer than a test; Jest has one setting for both. */
    this.hookTimeoutMs = Number(projectConfig.testEnvironmentOptions['hookTimeoutMs']);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /**
   * @param {import('@jest/types').Circus.Event} event
   * @param {import('@jest/types').Circus.State} state
   */
  handleTestEvent(event, state) {
    Reflect.set(globalThis, STATE, state);
    if (event.name !== 'add_hook') return;
    const { hooks } = state.currentDescribeBlock;
    const hook = hooks.at(-1);
    if (hook === undefined) return;
    hook.timeout ??= this.hookTimeoutMs;
    // Clean-ups run in the reverse order of their registration, so a file stops its servers before a helper kills leftover processes.
    if (hook.type.startsWith('after')) hooks.unshift(...hooks.splice(-1));
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
  }
}
