/** A question in the form in which MCP carries it. */
export interface WireQuestion {
  readonly method: 'elicitation/create';
  readonly params: { readonly mode: 'form'; readonly message: string; readonly requestedSchema: object };
}

/** Ends a call whose answer is a question. It is no failure. */
export class InputRequired extends Error {
  readonly inputRequests: Readonly<Record<string, WireQuestion>>;

  constructor(inputRequests: Readonly<Record<string, WireQuestion>>) {
    super('input required');
    this.inputRequests = inputRequests;
  }
}

/** Anything can be thrown, even what throws when it is looked at. */
export function isInputRequired(thrown: unknown): thrown is InputRequired {
  try {
    return thrown instanceof InputRequired;
  } catch {
    return false;
  }
}
