import { forms, isToolfoldError } from '@toolfold/analysis/internal';
import { assertOptions, flag, listOf, oneOf, record, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { ApiFailure } from '../../http/answers.js';
import type { PageCaller, Perspective } from '../../page-api.js';
import { MAX_SCOPES } from '../../mcp/page-caller.js';
import { shownProfiles } from '../form/forms.js';

const rules: Rules<keyof Perspective> = {
  form: oneOf(...forms),
  profile: oneOf(...shownProfiles),
  client: record('{ name, version }'),
  caller: record('{ clientId, scopes, extra }'),
  hidesScopes: flag,
  toolsets: listOf('names'),
  tools: listOf('names and addresses'),
  excludeTools: listOf('names and addresses'),
  readOnly: flag,
};

const clientRules: Rules<keyof NonNullable<Perspective['client']>> = { name: text, version: text };

const callerRules: Rules<keyof PageCaller> = {
  clientId: text,
  scopes: listOf('scopes'),
  extra: record('an object'),
};

/** Maximum number of names in a list, as in request headers. */
const MAX_NAMES = 500;

export function readPerspective(body: unknown): Perspective {
  try {
    assertOptions('The perspective', body, rules);
    const { client, caller } = body as Perspective;
    if (client) assertOptions('client', client, clientRules, { required: ['name'] });
    if (caller) assertOptions('caller', caller, callerRules);
  } catch (error) {
    if (!isToolfoldError(error)) throw error;
    throw new ApiFailure(error.message);
  }
  const read = body as Perspective;
  for (const name of ['toolsets', 'tools', 'excludeTools'] as const) {
    const names = read[name];
    if (!names) continue;
    // The server also rejects such lists in headers.
    if (!names.some((each) => each.trim() !== ''))
      throw new ApiFailure(`${name} names nothing.`, { hint: 'Name something, or leave it out.' });
    if (names.length > MAX_NAMES) throw new ApiFailure(`${name} has more than ${MAX_NAMES} names.`);
  }
  if ((read.caller?.scopes?.length ?? 0) > MAX_SCOPES)
    throw new ApiFailure(`The caller has more than ${MAX_SCOPES.toLocaleString('en')} scopes.`);
  return read;
}
