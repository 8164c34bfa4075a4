/**
 * A seeded source of choices (mulberry32): the same seed makes the same choices on every machine, so a
 * failing run is repeated by its seed.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    const picked = items[this.below(items.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** Picks an item of `[item, weight]` pairs. */
  weighted<Item>(pairs: readonly (readonly [Item, number])[]): Item {
    let left = this.next() * pairs.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of pairs) {
      left -= weight;
      if (left < 0) return item;
    }
    const last = pairs.at(-1);
    if (last === undefined) throw new Error('nothing to pick from');
    return last[0];
  }
}
