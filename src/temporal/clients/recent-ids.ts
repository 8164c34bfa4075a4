/** The last ids that were added, up to a bound; the oldest is forgotten first. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= this.#most) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
