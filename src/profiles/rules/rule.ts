import type { McpTool } from '../../protocol/mcp-types.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import type { ProfileName } from '../profile.js';

/** A restriction of one or more clients. `sources.ts` has the evidence of each. */
export interface Rule {
  /** Name of the rule, such as `no-root-composition`. */
  readonly id: string;
  /** Profiles with this rule. */
  readonly profiles: readonly ProfileName[];
}

/** A rule about every subschema of an input. */
export interface SchemaRule extends Rule {
  /** Keywords that the clients reject. */
  readonly keywords?: readonly string[];
  /** The fault of a subschema, for rules that need more than the presence of a keyword. */
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
export interface ToolRule extends Rule {
  readonly check: (tool: McpTool, server: string) => { path: string; message: string } | undefined;
}

/** A rule about the number of listed tools. */
export interface ListRule extends Rule {
  readonly maxTools: number;
}
