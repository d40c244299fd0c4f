/** The hints of MCP about a tool. What is left out is not claimed. */
export interface ToolAnnotationsInit {
  /** What people read in place of the name. */
  title?: string | undefined;
  /** The tool does not change its environment. */
  readOnlyHint?: boolean | undefined;
  /** The tool may destroy something. */
  destructiveHint?: boolean | undefined;
  /** Repeating a call changes nothing more. */
  idempotentHint?: boolean | undefined;
  /** The tool reaches beyond a closed set of things. */
  openWorldHint?: boolean | undefined;
  /** The result goes to the user as it is. Not part of MCP. */
  returnDirect?: boolean | undefined;
}

/** MCP's hints about a tool. What is `undefined` is not claimed, and MCP's own default applies. */
export class ToolAnnotations {
  /** What people read in place of the name. */
  title: string | undefined;
  /** The tool does not change its environment. MCP's default: false. */
  readOnlyHint: boolean | undefined;
  /** The tool may destroy something. MCP's default: true. */
  destructiveHint: boolean | undefined;
  /** Repeating a call changes nothing more. MCP's default: false. */
  idempotentHint: boolean | undefined;
  /** The tool reaches beyond a closed set of things. MCP's default: true. */
  openWorldHint: boolean | undefined;
  /** The result goes to the user as it is. Not part of MCP: sent only when a converter is told to. */
  returnDirect: boolean | undefined;

  constructor(init: ToolAnnotationsInit = {}) {
    this.title = init.title;
    this.readOnlyHint = init.readOnlyHint;
    this.destructiveHint = init.destructiveHint;
    this.idempotentHint = init.idempotentHint;
    this.openWorldHint = init.openWorldHint;
    this.returnDirect = init.returnDirect;
  }
}
