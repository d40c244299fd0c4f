import { AliasedMap } from '../compile/compiled-tool.js';
import type { CompiledTool, Forward } from '../compile/compiled-tool.js';
import { findParamHeaders } from '../compile/tool-forms.js';
import { distinctName, lowerName } from '@toolfold/profiles/internal';
import { profileNames } from '@toolfold/profiles';
import type { LoweredTool, ProfileName } from '@toolfold/profiles';
import { AUTHORED_ARGUMENTS } from '../protocol/wire-name.js';
import { loweringOf } from './wire-tools.js';

type Tools = ReadonlyMap<string, CompiledTool>;

interface LoweredTools {
  readonly tools: Tools;
  /** Authored names by listed name. Tools that kept their names are left out. */
  readonly authoredNames: ReadonlyMap<string, string>;
}

/**
 * Lowers the tools of a view. A tool stays the same object unless its name, its arguments or its headers change: lists show the
 * lowered schemas, so calls of all other tools need no translation. Calls of a changed tool are forwarded to the authored tool.
 */
export function lowerTools(authored: Tools, profile: ProfileName): LoweredTools {
  const listed = new Map<string, CompiledTool>();
  const renamed = new Map<string, string>();
  for (const [name, tool] of authored) {
    const lowered = lowerCompiled(authored, tool, profile);
    const listedName = freeName(lowered.wireName, name, authored, listed);
    if (listedName !== name) renamed.set(listedName, name);
    listed.set(listedName, listedName === lowered.wireName ? lowered : copyTool(lowered, listedName));
  }
  const former = formerNamesIn(authored, listed, renamed, profile);
  const isUnchanged = former.size === 0 && [...listed].every(([name, tool]) => authored.get(name) === tool);
  const tools = isUnchanged ? authored : new NamedTools(listed, former, authored);
  return { tools, authoredNames: renamed };
}

/** Tools that some clients call by other names. The authored and the former names can be called too, but they are not listed. */
class NamedTools extends AliasedMap<CompiledTool> {
  readonly #authored: Tools;

  constructor(listed: Tools, former: Tools, authored: Tools) {
    super(listed, former);
    this.#authored = authored;
  }

  override get(name: string): CompiledTool | undefined {
    return super.get(name) ?? this.#authored.get(name);
  }

  override has(name: string): boolean {
    return super.has(name) || this.#authored.has(name);
  }
}

/** Maps former tool names, both authored and lowered by the profile, to the tools that are listed now. */
function formerNamesIn(
  authored: Tools,
  listed: Tools,
  renamed: ReadonlyMap<string, string>,
  profile: ProfileName,
): Tools {
  const former = new Map<string, CompiledTool>();
  if (!(authored instanceof AliasedMap)) return former;
  const listedNames = new Map([...renamed].map(([name, own]) => [own, name]));
  const ambiguous = new Set<string>();
  for (const [name, { wireName }] of authored.former as Tools) {
    const tool = listed.get(listedNames.get(wireName) ?? wireName);
    // Some forms have tools that can be called but are not listed. They are found among the authored tools.
    if (!tool) continue;
    former.set(name, tool);
    const lowered = lowerName(name, profile, '');
    for (const each of lowered === name ? [] : [lowered, distinctName(lowered, name, 'portable', '')]) {
      if (listed.has(each) || authored.has(each)) continue;
      // Two former names may have become one name, which then tells nothing about the tool.
      if ((former.get(each) ?? tool) !== tool) ambiguous.add(each);
      former.set(each, tool);
    }
  }
  for (const name of ambiguous) former.delete(name);
  return former;
}

/** A name that no tool of the view has. Without a conflict it is the name that the profile gives. */
function freeName(wanted: string, own: string, authored: Tools, listed: Tools): string {
  const isFree = (name: string): boolean => !listed.has(name) && (name === own || !authored.has(name));
  let name = wanted;
  for (let salt = own; !isFree(name); salt += '_') name = distinctName(wanted, salt, 'portable', '');
  return name;
}

/** Names that every profile accepts, so that a tool need not be built to know its name. */
const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,58}$/;

/** The names under which a tool may be listed instead of its own name, in any profile. */
export function loweredNamesOf(name: string): readonly string[] {
  if (SAFE_NAME.test(name)) return [];
  const names = profileNames.map((profile) => lowerName(name, profile, ''));
  const others = [...new Set(names)].filter((each) => each !== name);
  return [...others, ...others.map((each) => distinctName(each, name, 'portable', ''))];
}

function lowerCompiled(authored: Tools, tool: CompiledTool, profile: ProfileName): CompiledTool {
  if (SAFE_NAME.test(tool.wireName) && tool.paramHeaders.length === 0) {
    return profile === 'standard' ? tool : lowerLater(authored, tool, profile);
  }
  const lowered = loweringOf(tool.tool, profile);
  const { name, inputSchema } = lowered.tool;
  const paramHeaders = tool.paramHeaders.length > 0 ? headersOf(tool, inputSchema) : tool.paramHeaders;
  const isTranslated = lowered.decode !== undefined || name !== tool.wireName;
  if (!isTranslated && areSameHeaders(paramHeaders, tool.paramHeaders)) return tool;
  const forward = isTranslated ? forwardTo(authored, tool, lowered) : tool.forward;
  return copyTool(tool, name, { paramHeaders, readForward: () => forward });
}

/** The headers of the listed arguments, and of their authored names, under which clients may send them too. */
function headersOf(
  { paramHeaders }: CompiledTool,
  listed: LoweredTool['tool']['inputSchema'],
): CompiledTool['paramHeaders'] {
  const headers = findParamHeaders(listed);
  const isRenamed = ({ header, path }: CompiledTool['paramHeaders'][number]): boolean =>
    headers.some((each) => each.header === header && each.path.join('\n') !== path.join('\n'));
  return [...headers, ...paramHeaders.filter(isRenamed)];
}

interface CopyOptions extends Partial<Pick<CompiledTool, 'actions' | 'paramHeaders'>> {
  readonly readForward?: () => Forward | undefined;
}

/** Copies a tool under another name. What it computes on first use stays so. */
export function copyTool(
  tool: CompiledTool,
  wireName: string,
  {
    actions = tool.actions,
    paramHeaders = tool.paramHeaders,
    readForward = () => tool.forward,
  }: CopyOptions = {},
): CompiledTool {
  const { isListable, discriminator } = tool;
  return Object.freeze({
    wireName,
    isListable,
    discriminator,
    actions,
    paramHeaders,
    get forward() {
      return readForward();
    },
    get tool() {
      return tool.tool;
    },
  });
}

/** A tool that keeps its name and its headers. It is lowered when it is first listed or called, because a start should not wait. */
function lowerLater(authored: Tools, tool: CompiledTool, profile: ProfileName): CompiledTool {
  let known: { readonly forward: Forward | undefined } | undefined;
  return copyTool(tool, tool.wireName, {
    readForward: () => {
      if (!known) {
        const lowered = loweringOf(tool.tool, profile);
        known = { forward: lowered.decode ? forwardTo(authored, tool, lowered) : tool.forward };
      }
      return known.forward;
    },
  });
}

/** Forwards calls to the authored tool. Only the arguments of clients that have read the list are translated. */
function forwardTo(
  tools: Tools,
  { wireName: name, forward }: CompiledTool,
  { decode, decodeListed }: LoweredTool,
): Forward {
  return (given, request) => {
    const isAuthored = request?.asListed !== true || request.meta?.[AUTHORED_ARGUMENTS] === true;
    if (!decode || isAuthored) return { tools, name, arguments: given };
    // A forwarding tool skips validation, so only one reading of its arguments is needed.
    if (forward) return { tools, name, arguments: decode(given) };
    const read = (decodeListed ?? decode)(given);
    return { tools, name, arguments: read, reading: { sent: given, read, readMore: () => decode(given) } };
  };
}

function areSameHeaders(one: CompiledTool['paramHeaders'], other: CompiledTool['paramHeaders']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
