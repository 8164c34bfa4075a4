/** A result with its HTTP status, headers and request id. */
export interface WithResponse<T> {
  data: T;
  /** The HTTP status. */
  status: number;
  headers: Headers;
  /** The id of the call; quote it to support. */
  requestId: string | null;
}

/** The result of a call as a promise; `withResponse()` has the status and the headers too. */
export class Answer<T> extends Promise<T> {
  readonly #full: Promise<WithResponse<T>>;

  constructor(full: Promise<WithResponse<T>>) {
    // Callers await `full` through `then`. A second rejected promise would report one failure twice.
    super((resolve) => resolve(undefined as never));
    this.#full = full;
  }

  /** `then`, `catch` and `finally` return plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Returns the result with its status, headers and request id. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#full;
  }

  override then<Value = T, Other = never>(
    onResolved?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.#full.then(({ data }) => data).then(onResolved, onRejected);
  }

  override catch<Other = never>(
    onRejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<T | Other> {
    return this.then(undefined, onRejected);
  }

  override finally(onSettled?: (() => void) | null): Promise<T> {
    return this.#full.then(({ data }) => data).finally(onSettled);
  }
}
