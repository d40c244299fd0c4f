/** What a caller can do something about. The framework reads `status` and tells the model what to do next. */
export class NotFound extends Error {
  readonly status = 404;
}

export class Conflict extends Error {
  readonly status = 409;
}

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
