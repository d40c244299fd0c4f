/** What a caller can do something about. The framework reads `status` and tells the model what to do next. */
export class NotFound extends Error {
  readonly status = 404;
}

/** What the books do not allow as they are. The message says what to do, so that no status has to. */
export class Refused extends Error {}

export class InvalidInput extends Error {
  readonly status = 400;
}

/** What keeps the program from starting, in words for the person who started it. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
