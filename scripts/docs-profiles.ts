// Writes docs/reference/profiles.md from the rule tables in packages/profiles/src/rules.
import { profileNames, profiles } from '@toolfold/profiles';
import type { ProfileRule } from '@toolfold/profiles';

export const PROFILES_PAGE = 'docs/reference/profiles.md';

const intro = `# Client profiles

A client or its model API rejects some schemas, and one rejected tool often disables all tools of a server. A profile is the table of
rules of one client. A server lists its tools in the profile of the client that asks, by the name in \`clientInfo\`: it rewrites what
that client rejects, and nothing else. A client that the [table](api/toolsets.md) does not know gets \`standard\`, which changes names, the root
and missing \`items\`, but no argument. Calls keep their meaning in every profile: arguments that the author's schema accepts reach the
handler unchanged, except [as its list says](#values-that-change-their-form). This page is generated from the rules in
\`packages/profiles/src/rules\`. The [decision](../decisions/0018-client-profiles.md) explains the method, and [Exports](api/profiles.md) lists
\`lowerTool\`, \`lowerTools\`, \`checkTools\` and \`profiles\`, which work on any \`tools/list\`. \`lowerTools(tools, 'cursor', { serverName: 'shop' })\` counts
the name of the server, which some clients put before the name of each tool.
`;

const translation = `## Values that change their form

Most tools keep the form of their arguments. Where a profile cannot express a schema, the lowered schema accepts another form, and the
description says so:

- **JSON text.** A value without a type, a map, an array of mixed items, and the levels below a limit are sent as text. Text that is JSON
  of an accepted type is parsed; other text stays text. A text that looks like JSON, such as the text \`5\`, is sent in quotes: \`"5"\`.
  Numbers with more digits than JavaScript keeps stay text.
- **Renamed keys.** \`filter[name]\` becomes \`filter_name\`, and its description names the original. Both names are accepted. Two keys
  that would become equal get a number. A further field that has such a name gets an underscore.
- **Alternatives at the root.** The fields of all alternatives become one object. If a field of one alternative has another type in an
  alternative that leaves it open, a value of that type can be sent as \`<field>_other\`.
- **Strict mode.** Null leaves an optional field out. If the author accepts null too, the text \`null\` is null. Fields without a property
  are in \`additional_fields\`, as JSON text of an object.

A call is read as its client's list describes it. Three kinds of accepted values change by that, and no others: JSON text where the
list asks for it, a name that the list made up, and null in strict mode. If the author's schema rejects the result, the values that it
rejects are read in other forms, in this order: JSON text in place of objects and arrays, the value as it was sent, and JSON text in place of
any union (Codex). Values that the schema accepts stay as they are, unless it accepts the call in no other way. If it accepts no form,
validation answers with the names of the author's schema. \`context.rawArguments\` is what the client sent; in the search form, what it sent as \`arguments\` of
the action.

A profile translates nothing in calls of \`executeTool\`, \`routeCall\` and \`createCaller\`, whose callers read no list, and of typed clients;
JSON text in place of objects and arrays is parsed there too if the schema rejects it. A \`SchemaValidator\` of your own
gets one form, as the client's list describes it: no value is read in another form, even if it rejects the call.

Lowering may accept more than the author's schema, never less, with one exception: \`standard\` lists the fields of alternatives at the root
with their types, although an alternative that leaves a field open accepts any value there. Validation still applies the author's schema. Output schemas are not
changed: no report is known of a client of these profiles that passes them to its model API (codex#13768), and the official client
validates results against them.
`;

/** The whole page. */
export function renderProfiles(): string {
  const rows = profiles.map(({ name, title, rules }) => `| \`${name}\` | ${title} | ${rules.length} |`);
  const rules = [
    ...new Map(profiles.flatMap((profile) => profile.rules.map((rule) => [rule.id, rule] as const))).values(),
  ];
  const groups: readonly (readonly [title: string, has: (rule: ProfileRule) => boolean])[] = [
    ['Names, descriptions and counts', ({ id }) => isAboutTools(id)],
    ['Schemas', ({ id }) => !isAboutTools(id) && !id.startsWith('strict-')],
    ['Strict mode', ({ id }) => id.startsWith('strict-')],
  ];
  const sections = groups.map(([title, has]) => `## ${title}\n\n${ruleTable(rules.filter(has))}`);
  return [
    intro,
    ['| profile | clients | rules |', '|---|---|---|', ...rows, ''].join('\n'),
    ...sections,
    translation,
  ].join('\n');
}

function isAboutTools(id: string): boolean {
  return /^(?:name-|prefixed-|description-|at-most-)/.test(id);
}

function ruleTable(rules: readonly ProfileRule[]): string {
  const rows = rules.map(
    ({ id, reason, lowering, source, date, profiles: names }) =>
      `| \`${id}\` | ${cell(reason)} | ${cell(lowering)} | ${showProfiles(names)} | ${cell(source)}, ${date} |`,
  );
  return [
    '| rule | what clients do | lowering | profiles | seen in |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function showProfiles(names: readonly string[]): string {
  if (names.length === profileNames.length) return 'all';
  const others = profileNames.filter((name) => !names.includes(name));
  return others.length === 1
    ? `all except ${others[0]}`
    : profileNames.filter((name) => names.includes(name)).join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
