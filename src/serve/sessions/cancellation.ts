/** A signal that is made when somebody looks at it. */
export class Cancellation {
  readonly cancelled: Promise<undefined>;
  readonly cancel: () => void;
  #isCancelled = false;
  #controller: AbortController | undefined;

  constructor() {
    let resolve: (value: undefined) => void;
    this.cancelled = new Promise((settle) => {
      resolve = settle;
    });
    this.cancel = () => {
      this.#isCancelled = true;
      this.#controller?.abort();
      resolve(undefined);
    };
  }

  readonly signal = (): AbortSignal => {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  };
}
