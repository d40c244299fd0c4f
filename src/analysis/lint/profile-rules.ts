import type { McpTool } from '../../model.js';
import { checkTools } from '../../profiles/check-tools.js';
import { profileNames } from '../../profiles/profile.js';
import type { ProfileName, Violation } from '../../profiles/profile.js';
import { profiles } from '../../profiles/rules/profiles.js';
import type { ProfileRule } from '../../profiles/rules/profiles.js';
import type { Steps } from '../steps.js';
import { wholeList } from './finding.js';
import { showHidden } from './hidden-characters.js';
import type { Finding, Place, Severity } from './finding.js';
import { listSome } from './words.js';

/** Rules that describe how arguments are read. The clients accept the tools, so `checkTools` reports nothing. */
const silentRules = new Set(['any-of-as-text']);

/** Every rule of every client that a tool can break. */
export const clientRules: readonly ProfileRule[] = [
  ...new Map(profiles.flatMap(({ rules }) => rules).map((rule) => [rule.id, rule])).values(),
].filter(({ id }) => !silentRules.has(id));

const rulesById = new Map(clientRules.map((rule) => [rule.id, rule]));

/** The clients that are checked unless the user chooses others. `portable` is all of them together. */
export const defaultProfiles: readonly ProfileName[] = profileNames.filter(
  (name) => name !== 'portable' && name !== 'openai-strict',
);

/** A rule that more tools break is reported once for the list. */
const MAX_TOOLS = 3;

interface ViolationOptions {
  readonly profiles: readonly ProfileName[];
  readonly isChosen: boolean;
  readonly server?: string | undefined;
}

/** Finds the rules of clients that the tools break: one finding for each rule and tool, with the clients that reject it. */
export function* findViolations(tools: readonly McpTool[], options: ViolationOptions): Steps<Finding[]> {
  const byRule = new Map<string, Map<string, Broken>>();
  for (const [at, profile] of options.profiles.entries()) {
    yield at / options.profiles.length;
    for (const violation of checkTools(tools, profile, { serverName: options.server ?? '' })) {
      const byTool = getOrAdd(byRule, violation.rule, () => new Map<string, Broken>());
      const broken = getOrAdd(byTool, violation.tool, () => ({ places: new Map(), clients: new Set() }));
      broken.clients.add(profile);
      if (!broken.places.has(violation.path)) broken.places.set(violation.path, violation);
    }
  }
  return [...byRule].flatMap(([rule, byTool]) => {
    const all = [...byTool.values()];
    return all.length > MAX_TOOLS
      ? [toFinding(rule, mergeAll(all), options.isChosen, all.length)]
      : all.map((broken) => toFinding(rule, broken, options.isChosen, 1));
  });
}

/** The violations of one rule, by place. */
interface Broken {
  readonly places: Map<string, Violation>;
  readonly clients: Set<ProfileName>;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function mergeAll(all: readonly Broken[]): Broken {
  return {
    places: new Map(
      all.flatMap(({ places }) => [...places.values()].map((each) => [`${each.tool} ${each.path}`, each])),
    ),
    clients: new Set(all.flatMap(({ clients }) => [...clients])),
  };
}

function toFinding(id: string, { places, clients }: Broken, isChosen: boolean, tools: number): Finding {
  const rule = rulesById.get(id);
  const [first, ...rest] = places.values();
  const names = [...clients];
  const others: Place[] = [...rest].map(({ tool, path }) => ({ tool, pointer: path }));
  const toolNames = [...new Set([...places.values()].map(({ tool }) => tool))];
  const place = tools > 1 || !first ? wholeList : { tool: first.tool, pointer: first.path };
  const message = first?.message ?? '';
  const more =
    tools > 1
      ? ` ${tools} tools break this rule: ${listSome(toolNames, 3)}.`
      : others.length > 0
        ? ` The same holds for ${others.length === 1 ? 'one more place' : `${others.length} more places`}.`
        : '';
  return {
    ...place,
    rule: id,
    severity: severityOf(id, names, isChosen),
    reason: showHidden(`${names.join(', ')}: ${tools > 1 ? plain(rule?.reason ?? message) : message}${more}`),
    fix: rule ? `${plain(rule.lowering)}` : 'Rewrite the place.',
    source: rule?.source ?? '',
    date: rule?.date ?? '',
    isFixable: true,
    clients: names,
    others: tools > 1 && first ? [{ tool: first.tool, pointer: first.path }, ...others] : others,
  };
}

/** Removes Markdown from a text of the rule table. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

/** Rules whose clients still offer the tool, in part or without the rest of the list. */
const softRules = new Set(['description-length-2048', 'at-most-40-tools', 'at-most-128-tools']);

/** Most clients of Gemini rewrite schemas before they send them, so its rules alone are a warning unless they are asked for. */
function severityOf(id: string, clients: readonly ProfileName[], isChosen: boolean): Severity {
  if (softRules.has(id)) return 'warning';
  return isChosen || clients.some((client) => client !== 'gemini') ? 'error' : 'warning';
}

export function severityOfClientRule({
  id,
  profiles: clients,
}: Pick<ProfileRule, 'id' | 'profiles'>): Severity {
  return severityOf(
    id,
    clients.filter((name) => name !== 'portable'),
    false,
  );
}
