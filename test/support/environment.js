import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const ways = ['run', 'enterWith'];

/**
 * Node.js keeps every AsyncLocalStorage that was entered, and each makes every promise of the process dearer. Jest loads
 * modules anew for each test file, so a worker would gather a handful of storages with each. They are let go with the file.
 */
export default class Environment extends TestEnvironment {
  #originals = {};
  #entered = new Set();

  async setup() {
    await super.setup();
    const entered = this.#entered;
    for (const way of ways) {
      const original = AsyncLocalStorage.prototype[way];
      this.#originals[way] = original;
      AsyncLocalStorage.prototype[way] = function (...args) {
        entered.add(this);
        return original.apply(this, args);
      };
    }
  }

  async teardown() {
    await super.teardown();
    Object.assign(AsyncLocalStorage.prototype, this.#originals);
    for (const storage of this.#entered) storage.disable();
    this.#entered.clear();
  }
}
