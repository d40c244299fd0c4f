import { typesOf } from '@toolfold/schema/internal';
import type { Span } from 'toolfold/internal';
import { findAssignments, findShapes, isSecretField, isSecretName } from 'toolfold/internal';
import { at } from '../finding.js';
import type { Fault, LintRule, Surface } from '../finding.js';
import { inputFields, textsOf } from '../tool-parts.js';

/** The id of a session or of a stored secret is a handle that tools pass on, not a credential. */
const isHandle = /^(?:session|secret)[-_]?id$/i;

function* findParameters({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema, field } of inputFields(item)) {
      const { type, format } = schema;
      if (type !== undefined && typesOf(schema)?.includes('string') !== true) continue;
      if ((!isSecretName(field) || isHandle.test(field)) && format !== 'password') continue;
      yield {
        ...at(item, pointer),
        reason: `The field "${field}" asks the model for a secret, which then is in the conversation, in logs and in the context of other tools.`,
      };
    }
}

/** Only the first characters of longer texts are searched. */
const MAX_TEXT = 100_000;
const placeholder =
  /user|pass|example|your|xxx|\.\.\.|…|[<>{}$*]|(.)\1{5}|abc|1234|test|dummy|fake|sample|redacted/i;

function* findValues({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    for (const { pointer, text, isProse } of textsOf(item)) {
      if (!findsCredential(text.slice(0, MAX_TEXT), isProse)) continue;
      yield {
        ...at(item, pointer),
        reason: 'The text contains what looks like a credential. Every client receives it.',
      };
    }
    for (const { pointer, schema, field } of inputFields(item)) {
      const { default: value } = schema;
      if (typeof value !== 'string' || value.length < 8 || placeholder.test(value)) continue;
      if (isSecretField(field, value) && !findsCredential(value, false))
        yield {
          ...at(item, `${pointer}/default`),
          reason: `The default of "${field}" looks like a credential. Every client receives it.`,
        };
    }
  }
}

/** Searches for credentials. In prose, `token: value` is usually a sentence, so only known formats of credentials count there. */
function findsCredential(text: string, isProse: boolean): boolean {
  const spans: Span[] = [];
  findShapes(text, spans);
  if (!isProse) findAssignments(text, spans);
  return spans.some(([start, end]) => end - start >= 12 && !placeholder.test(text.slice(start, end)));
}

export const secretRules: readonly LintRule[] = [
  {
    id: 'secret-parameter',
    severity: 'warning',
    summary: 'An argument such as `api_key` or `password` asks the model for a secret.',
    fix: 'Read the secret from the configuration of the server, or from the authorization of the request.',
    source: 'https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization',
    date: '2025-11',
    check: findParameters,
  },
  {
    id: 'secret-value',
    severity: 'error',
    summary: 'A default, example or description contains a credential.',
    fix: 'Revoke the credential and remove it.',
    source: 'https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices',
    date: '2025-11',
    check: findValues,
  },
];
