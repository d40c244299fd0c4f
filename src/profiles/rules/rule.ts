import type { McpTool } from '../../protocol/mcp-types.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import type { ProfileName } from '../profile.js';

/** A restriction of one or more clients, with the place where it was seen. */
export interface ProfileRule {
  /** Name of the rule, such as `no-root-composition`. */
  readonly id: string;
  /** What the clients do with a tool that breaks the rule. */
  readonly reason: string;
  /** Issue, pull request or page that shows it. */
  readonly source: string;
  /** Month in which it was seen. */
  readonly date: string;
  /** Profiles with this rule. */
  readonly profiles: readonly ProfileName[];
  /** How `lowerTool` rewrites a tool that breaks it. */
  readonly lowering: string;
}

/** A rule about every subschema of an input. */
export interface SchemaRule extends ProfileRule {
  /** Keywords that the clients reject. */
  readonly keywords?: readonly string[];
  /** The keywords that break the rule and a message for each; for rules that need more than the presence of a keyword. */
  readonly check?: (schema: JsonSchemaObject, place: SchemaPlace) => string | undefined;
}

/** The position of a subschema in an input schema. */
export interface SchemaPlace {
  /** Whether it is the whole input. */
  readonly isRoot: boolean;
  /** Whether it describes the items of an array. */
  readonly isItems: boolean;
  /** The number of properties and items around it. */
  readonly depth: number;
}

/** A rule about a tool as a whole. */
export interface ToolRule extends ProfileRule {
  readonly check: (tool: McpTool, server: string) => { path: string; message: string } | undefined;
}

/** A rule about the number of listed tools. */
export interface ListRule extends ProfileRule {
  readonly maxTools: number;
}
