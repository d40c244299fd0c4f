/** A call that the books reject. The message is for the model; the log leaves it out, because nothing is broken. */
export class BooksError extends Error {}

/** An unknown name or id. Toolfold reads `status` and adds advice for the model, here and for `InvalidInput`. */
export class NotFound extends BooksError {
  readonly status = 404;
}

/** A conflict with the current state of the books. The message advises the model, so no status is needed. */
export class Refused extends BooksError {}

export class InvalidInput extends BooksError {
  readonly status = 400;
}

/** An error that prevents the start, with a message for the operator. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
