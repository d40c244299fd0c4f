// The types of `fromMcpServer`, apart from the code, because the declarations of the code need `@modelcontextprotocol/client`, which a
// server without upstream servers does not install.
import type { AnyToolDefinition } from '../define/tool-definition.js';
import type { JsonSchemaObject } from '../values/json-schema.js';

/** A server's description of itself, unverified. */
export interface UpstreamServer {
  /** The name that the server gives itself. */
  readonly name: string | undefined;
  /** The version that the server gives itself. */
  readonly version: string | undefined;
  /** The server's instructions for its clients. */
  readonly instructions: string | undefined;
}

/** A tool definition that can be registered unchanged. */
export type UpstreamToolDefinition = AnyToolDefinition & {
  readonly description: string;
  readonly inputSchema: JsonSchemaObject;
};
