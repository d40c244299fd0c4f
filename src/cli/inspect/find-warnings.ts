import type { ListedHints, ListedTool } from '../target/listed-tool.js';

/** Something that the author of a server should look at. */
export interface Warning {
  readonly address: string;
  readonly message: string;
}

/** What VS Code takes at most. */
const MAX_TOOLS = 128;
/** At the root of an input, the APIs of models refuse these. */
const refused = ['oneOf', 'anyOf', 'allOf'];

/** What keeps clients from using tools, or from using them well. */
export function findWarnings(tools: readonly ListedTool[]): Warning[] {
  const warnings = tools.flatMap((listed) => {
    const { tool, hints, actions } = listed;
    const found: string[] = [];
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
      found.push('some clients refuse its name: they take at most 64 letters, digits, _ and -');
    const root = refused.filter((keyword) => tool.inputSchema[keyword] !== undefined);
    if (root.length > 0) found.push(`some models refuse ${root.join(', ')} at the root of an input schema`);
    if (isEmpty(tool.description)) found.push('it has no description');
    if (actions.length === 0 && isSilent(hints)) found.push(SILENT);
    return [
      ...found.map((message) => ({ address: tool.name, message })),
      ...actions.flatMap(({ address, description, hints: own }) => [
        // Of what runs elsewhere only the keys are known.
        ...(own && isEmpty(description) ? [{ address, message: 'it has no description' }] : []),
        ...(own && isSilent(own) ? [{ address, message: SILENT }] : []),
      ]),
    ];
  });
  if (tools.length <= MAX_TOOLS) return warnings;
  return [
    { address: '', message: `there are ${tools.length} tools, and some clients take at most ${MAX_TOOLS}` },
    ...warnings,
  ];
}

const SILENT =
  'it does not say whether it only reads (readOnly) or destroys (destructive): clients take it for the worst';

function isSilent({ readOnly, destructive }: ListedHints): boolean {
  return readOnly === undefined && destructive === undefined;
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
