import type { McpTool } from 'toolfold/model';
import { checkTools, lowerTools, profileNames, profiles } from '@toolfold/profiles';
import type { ProfileName, ProfileRule, Violation } from '@toolfold/profiles';
import type { Steps } from '../steps.js';
import { wholeList } from './finding.js';
import { showHidden } from './hidden-characters.js';
import type { Finding, Place, Severity } from './finding.js';
import { listSome } from './words.js';

/** Rules about how clients read arguments. `checkTools` does not report them, because the clients accept the tools. */
const silentRules = new Set(['any-of-as-text']);

export const clientRules: readonly ProfileRule[] = [
  ...new Map(profiles.flatMap(({ rules }) => rules).map((rule) => [rule.id, rule])).values(),
].filter(({ id }) => !silentRules.has(id));

const rulesById = new Map(clientRules.map((rule) => [rule.id, rule]));

export const defaultProfiles: readonly ProfileName[] = profileNames.filter(
  (name) => isClient(name) && name !== 'openai-strict',
);

/** Whether a profile belongs to one client. `standard` and `portable` combine rules of several clients. */
function isClient(name: ProfileName): boolean {
  return name !== 'standard' && name !== 'portable';
}

/** A rule that more tools break is reported once, for the whole list. */
const MAX_TOOLS = 3;

interface ViolationOptions {
  readonly profiles: readonly ProfileName[];
  readonly isChosen: boolean;
  readonly isLowered?: boolean | undefined;
  readonly server?: string | undefined;
}

/** Finds broken client rules. Yields one finding for each rule and tool, with the clients that reject it. */
export function* findViolations(tools: readonly McpTool[], options: ViolationOptions): Steps<Finding[]> {
  const byRule = new Map<string, Map<string, Broken>>();
  const { isLowered = false, server = '' } = options;
  for (const [at, profile] of options.profiles.entries()) {
    yield at / options.profiles.length;
    const listed = isLowered ? lowerTools(tools, profile).map(({ tool }) => tool) : tools;
    for (const violation of checkTools(listed, profile, { serverName: server })) {
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

function plain(text: string): string {
  return text.replaceAll('`', '');
}

/** Rules after whose violation a client still offers the tool, shortened or without some other tools. */
const softRules = new Set(['description-length-2048', 'at-most-40-tools', 'at-most-128-tools']);

/** The rules of Gemini alone are only warnings unless the user asked for them, because most of its clients rewrite schemas first. */
function severityOf(id: string, clients: readonly ProfileName[], isChosen: boolean): Severity {
  if (softRules.has(id)) return 'warning';
  return isChosen || clients.some((client) => client !== 'gemini') ? 'error' : 'warning';
}

export function severityOfClientRule({
  id,
  profiles: clients,
}: Pick<ProfileRule, 'id' | 'profiles'>): Severity {
  return severityOf(id, clients.filter(isClient), false);
}
