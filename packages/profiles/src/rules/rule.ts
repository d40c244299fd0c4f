import type { McpTool } from '../mcp-tool.js';
import type { JsonSchemaObject } from '@toolfold/schema';
import type { ProfileName } from '../profile.js';

/** A restriction of one or more clients. `sources.ts` has the evidence of each. */
export interface Rule {
  /** Name of the rule, such as `no-root-composition`. */
  readonly id: string;
  readonly profiles: readonly ProfileName[];
}

/** A rule about every subschema of an input. */
export interface SchemaRule extends Rule {
  /** Keywords that the clients reject. */
  readonly keywords?: readonly string[];
  /** Returns what is wrong with a subschema, for rules that need more than the presence of a keyword. */
  readonly check?: (schema: JsonSchemaObject, place: SchemaPlace) => string | undefined;
}

export interface SchemaPlace {
  readonly isRoot: boolean;
  readonly isItems: boolean;
  /** Nesting depth of the subschema, counted in properties and items. */
  readonly depth: number;
}

export interface ToolRule extends Rule {
  readonly check: (tool: McpTool, server: string) => { path: string; message: string } | undefined;
}

export interface ListRule extends Rule {
  readonly maxTools: number;
}
