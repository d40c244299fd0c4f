import type { McpTool } from './mcp-tool.js';
import { assertOptions, describeKind, invalidOption } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';

/**
 * The clients and model APIs for which a surface can be lowered. `standard` has the rules of most clients and changes no argument;
 * `portable` is accepted by all clients except those of `openai-strict`.
 */
export const profileNames = [
  'standard',
  'portable',
  'anthropic',
  'openai',
  'openai-strict',
  'gemini',
  'cursor',
  'vscode',
  'codex',
  'bedrock',
] as const;

/** A client or model API for which tools can be lowered. */
export type ProfileName = (typeof profileNames)[number];

/** A rule of a client that a tool breaks. */
export interface Violation {
  /** The id of the rule, such as `no-root-composition`. */
  readonly rule: string;
  /** The name of the tool; empty for a rule about the whole list. */
  readonly tool: string;
  /** JSON pointer into the tool, such as `/inputSchema/properties/filter`. */
  readonly path: string;
  /** Describes the violation in one sentence. */
  readonly message: string;
}

/** A tool in the form that a profile accepts. */
export interface LoweredTool {
  /** The same object as the given tool if the profile accepts it unchanged. */
  readonly tool: McpTool;
  /** Translates arguments for the author's schema to the lowered one. `undefined` if they are the same. */
  readonly encode?: ((args: Arguments) => Arguments) | undefined;
  /** Translates arguments of a client back to the author's form. `undefined` if they are the same. */
  readonly decode?: ((args: Arguments) => Arguments) | undefined;
  /**
   * Translates only what the lowered schema describes: its own names, and JSON text where it asks for that. `decode` also reads JSON
   * text in place of unions that clients show to a model as text.
   *
   * @internal
   */
  readonly decodeListed?: ((args: Arguments) => Arguments) | undefined;
  /** The rewrites, for reports: each names the rule and the place that changed. */
  readonly changes: readonly Change[];
}

/** A rewrite of a tool. */
export interface Change {
  /** The id of the rule that required it. */
  readonly rule: string;
  /** JSON pointer into the authored tool. */
  readonly path: string;
  /** Describes the rewrite in one sentence. */
  readonly message: string;
}

/** Options of `lowerTool`, `lowerTools` and `checkTools`. */
export interface LowerOptions {
  /** The name under which clients know the server. Some clients count it as part of the names of tools. Default: none. */
  readonly serverName?: string;
}

/** The arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

const optionRules: Rules<keyof LowerOptions> = { serverName: [(value) => typeof value === 'string', 'text'] };
const knownNames: ReadonlySet<unknown> = new Set(profileNames);

/** Throws on an unknown profile or option, because a profile without rules would accept every tool. */
export function assertProfile(place: string, profile: unknown, options: LowerOptions): void {
  if (!knownNames.has(profile)) {
    throw invalidOption(
      `${place}: profile`,
      `one of ${profileNames.join(', ')}`,
      `Got ${describeKind(profile)}.`,
    );
  }
  assertOptions(place, options, optionRules);
}
