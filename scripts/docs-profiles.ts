// Writes docs/reference/profiles.md from the rule tables in src/profiles/rules.
import { profileNames } from '../src/profiles/profile.js';
import { profiles } from '../src/profiles/rules/profiles.js';
import type { ProfileRule } from '../src/profiles/rules/profiles.js';

export const PROFILES_PAGE = 'docs/reference/profiles.md';

const intro = `# Client profiles

A client or its model API rejects some schemas, and one rejected tool often disables all tools of a server. A profile is the table of
rules of one client. Toolfold lowers each tool for the profile of its view: it rewrites what the client rejects and translates the
arguments back before validation, so handlers get the values that their authors declared. This page is generated from the rules in
\`src/profiles/rules\`. The [decision](../decisions/0018-client-profiles.md) explains the method, and [Exports](api/profiles.md) lists
\`lowerTool\`, \`lowerTools\`, \`checkTools\` and \`profiles\`, which work on any \`tools/list\`.
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

A client that ignores the lowered schema and sends the author's form is understood too, unless that is ambiguous. Values that fit neither
form are left unchanged, and validation answers with the names of the author's schema.

Lowering may accept more than the author's schema, never less; validation still applies the author's schema. Output schemas are not
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
