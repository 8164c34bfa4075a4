import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const ways = /** @type {const} */ (['run', 'enterWith']);

/**
 * Releases the storages of each test file. Node.js keeps every AsyncLocalStorage that was entered, and each
 * one slows down every promise of the process. Jest loads modules again for each file, so a worker would
 * collect several storages with each.
 */
export default class Environment extends TestEnvironment {
  /** @type {Partial<Record<(typeof ways)[number], Function>>} */
  #originals = {};
  /** @type {Set<AsyncLocalStorage<unknown>>} */
  #entered = new Set();

  /** @override */
  async setup() {
    await super.setup();
    const entered = this.#entered;
    for (const way of ways) {
      const original = AsyncLocalStorage.prototype[way];
      this.#originals[way] = original;
      Object.defineProperty(AsyncLocalStorage.prototype, way, {
        /**
         * @this {AsyncLocalStorage<unknown>}
         * @param {unknown[]} args
         */
        value(...args) {
          entered.add(this);
          return Reflect.apply(original, this, args);
        },
      });
    }
  }

  /** @override */
  async teardown() {
    await super.teardown();
    Object.assign(AsyncLocalStorage.prototype, this.#originals);
    for (const storage of this.#entered) storage.disable();
    this.#entered.clear();
  }
}
