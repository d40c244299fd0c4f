import { InputRequired } from '../compile/input-required.js';
import type { WireQuestion } from '../compile/input-required.js';
import { readObject } from '../compile/read-definition.js';
import type { InputAnswer, InputQuestion, RequestInput } from '../compile/tool-definition.js';
import { ErrInputUnavailable, ErrValidationFailed } from '../errors.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { ReadSchema } from '../schema/read-schema.js';

/**
 * How an edge gets answers: all of them, in MCP's form, or `undefined` when the client must be asked first and
 * will call again.
 */
export type AskClient = (
  questions: Readonly<Record<string, WireQuestion>>,
) => Promise<Readonly<Record<string, unknown>> | undefined>;

const nobodyToAsk: RequestInput = async () => {
  throw new ErrInputUnavailable(
    'There is nobody to ask: the call did not come from a client that takes questions.',
  );
};

/** Makes `context.requestInput` out of what the edge can do. */
export function createRequestInput(ask: AskClient | undefined): RequestInput {
  if (!ask) return nobodyToAsk;
  return async (questions) => {
    const schemas = new Map(
      (Object.entries(questions) as [string, InputQuestion][]).map(([key, { schema }]) => [
        key,
        readObject(schema, `Question "${key}"`),
      ]),
    );
    const wire = Object.fromEntries(
      [...schemas].map(([key, { jsonSchema }]) => {
        const { $schema: _, ...requestedSchema } = jsonSchema;
        const { message } = (questions as Record<string, InputQuestion>)[key] as InputQuestion;
        return [
          key,
          {
            method: 'elicitation/create' as const,
            params: { mode: 'form' as const, message, requestedSchema },
          },
        ];
      }),
    );
    const answers = await ask(wire);
    if (!answers) throw new InputRequired(wire);
    const read = [...schemas].map(
      async ([key, schema]) => [key, await readAnswer(key, answers[key], schema)] as const,
    );
    return Object.fromEntries(await Promise.all(read)) as Awaited<ReturnType<RequestInput>>;
  };
}

/** The answer comes from outside: its form and its content are checked like arguments. */
async function readAnswer(key: string, answer: unknown, schema: ReadSchema): Promise<InputAnswer> {
  const action = isJsonObject(answer) ? answer['action'] : undefined;
  if (action === 'decline' || action === 'cancel') return { action };
  const checked = await schema.validate(isJsonObject(answer) ? answer['content'] : undefined);
  if (action !== 'accept' || !checked.ok) {
    const issues = checked.ok
      ? []
      : checked.issues.map(({ path, message }) => `${[key, ...path].join('.')}: ${message}`);
    throw new ErrValidationFailed(`Validation failed: ${issues.join('; ') || `${key}: is not an answer`}`);
  }
  return { action, content: checked.value as Readonly<Record<string, unknown>> };
}
