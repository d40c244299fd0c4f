/** A question in the form in which MCP carries it. */
export interface WireQuestion {
  /** The request that asks it. */
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** Its parameters. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Questions by the keys under which their answers come back. */
export type WireQuestions = Readonly<Record<string, WireQuestion>>;

interface InputRequiredResult {
  readonly resultType: 'input_required';
  readonly inputRequests: WireQuestions;
  readonly requestState?: string;
}

/** Ends a call whose answer is a question. It is no failure. */
export class InputRequired extends Error {
  readonly inputRequests: WireQuestions;
  /** What the client has to send along with its answers. */
  readonly requestState: string | undefined;

  constructor(inputRequests: WireQuestions, requestState?: string) {
    super('input required');
    this.inputRequests = inputRequests;
    this.requestState = requestState;
  }

  /** The answer that asks the client to come back with answers, as 2026-07-28 carries it. */
  toResult(): InputRequiredResult {
    const { inputRequests, requestState } = this;
    return {
      resultType: 'input_required',
      inputRequests,
      ...(requestState === undefined ? {} : { requestState }),
    };
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

/** What a client must be able to do to answer, in the form of `clientCapabilities`; `undefined` when it can. */
export function missingCapabilities(
  questions: Readonly<Record<string, object>>,
  capabilities: Readonly<Record<string, unknown>> | undefined,
): Record<string, object> | undefined {
  const missing: Record<string, object> = {};
  for (const question of Object.values(questions)) {
    const { method, params } = question as WireQuestion;
    const [name, needed] = capabilityFor(method, params);
    const declared = capabilities?.[name];
    const isThere = typeof declared === 'object' && declared !== null;
    // Before there were pages to go to, `elicitation: {}` meant forms.
    const can =
      isThere && (needed === undefined || needed in declared || (needed === 'form' && !('url' in declared)));
    if (!can) missing[name] = { ...missing[name], ...(needed === undefined ? {} : { [needed]: {} }) };
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

function capabilityFor(
  method: WireQuestion['method'],
  params: WireQuestion['params'],
): readonly [name: string, needed?: string] {
  if (method === 'roots/list') return ['roots'];
  if (method === 'sampling/createMessage') return 'tools' in params ? ['sampling', 'tools'] : ['sampling'];
  return ['elicitation', params['mode'] === 'url' ? 'url' : 'form'];
}
