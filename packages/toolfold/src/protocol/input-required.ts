/** A question to the client, as MCP sends it. */
export interface WireQuestion {
  /** The MCP request that carries the question. */
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** Parameters of the MCP request in `method`. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Questions by key. The client returns each answer under the key of its question. */
export type WireQuestions = Readonly<Record<string, WireQuestion>>;

interface InputRequiredResult {
  readonly resultType: 'input_required';
  readonly inputRequests: WireQuestions;
  readonly requestState?: string;
}

/** Thrown to end a call with questions to the client. It is not a failure. */
export class InputRequired extends Error {
  readonly inputRequests: WireQuestions;
  /** Opaque state that the client returns with its answers. */
  readonly requestState: string | undefined;

  constructor(inputRequests: WireQuestions, requestState?: string) {
    super('input required');
    this.inputRequests = inputRequests;
    this.requestState = requestState;
  }

  /** The `input_required` result of 2026-07-28. */
  toResult(): InputRequiredResult {
    const { inputRequests, requestState } = this;
    return {
      resultType: 'input_required',
      inputRequests,
      ...(requestState === undefined ? {} : { requestState }),
    };
  }
}

/** Also safe for a thrown proxy that throws when it is inspected. */
export function isInputRequired(thrown: unknown): thrown is InputRequired {
  try {
    return thrown instanceof InputRequired;
  } catch {
    return false;
  }
}

/** Returns the capabilities that the questions need and the client lacks; `undefined` if it lacks none. */
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
    // Before MCP had URL elicitation, `elicitation: {}` meant forms.
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
