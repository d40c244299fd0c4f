/** An unknown name or id. Toolfold reads `status` and adds advice for the model, here and for `InvalidInput`. */
export class NotFound extends Error {
  readonly status = 404;
}

/** A conflict with the current state of the books. The message advises the model, so no status is needed. */
export class Refused extends Error {}

export class InvalidInput extends Error {
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
