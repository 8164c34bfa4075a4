import type { Asked } from './requests.ts';
import { type Scheduler, runningProcess } from './scheduler.ts';

/** What happens elsewhere around one request of the service. */
export interface Meanwhile {
  /** The method and path of the request, and its idempotency key, if it has one. */
  request: RegExp;
  /** Just before the request arrives, or once it has its effect and is not yet answered. */
  when: 'before' | 'after';
  happens: () => Promise<unknown>;
}

/**
 * Things that happen around requests of the service, once each: the rare order of two events that a caller
 * cannot time. They are done by the outside world, not by the process that sent the request.
 */
export class MeanwhileElsewhere {
  readonly #scheduler: () => Scheduler;
  #waiting: Meanwhile[] = [];

  constructor(scheduler: () => Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Adds one. Returns the function that forgets it, if it has not happened. */
  add(meanwhile: Meanwhile): () => void {
    this.#waiting.push(meanwhile);
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== meanwhile);
    };
  }

  /** Does what happens at this point of a request, and resolves when it is over. */
  async around({ method, url, headers }: Asked, when: Meanwhile['when']): Promise<void> {
    if (runningProcess() === null || this.#waiting.length === 0) return;
    const request = `${method} ${url.pathname} ${headers['idempotency-key'] ?? ''}`.trimEnd();
    const found = this.#waiting.find((each) => each.when === when && each.request.test(request));
    if (found === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== found);
    this.#scheduler().note(`meanwhile, ${when} ${method}`);
    await new Promise<void>((resolve, reject) => {
      // Of the outside world: it happens also when the process that sent the request is killed.
      this.#scheduler().outside(0, null, () => void found.happens().then(() => resolve(), reject));
    });
  }
}
