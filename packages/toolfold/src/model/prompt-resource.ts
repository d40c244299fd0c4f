import { BaseModel, GroupItem } from './base.js';
import type { BaseModelInit } from './base.js';
import type { Annotations } from '../protocol/mcp-types.js';

/** Constructor fields of `PromptArgument`. */
export interface PromptArgumentInit extends BaseModelInit {
  /** Whether the argument must be given. */
  required?: boolean | undefined;
}

/** One argument of a prompt. */
export class PromptArgument extends BaseModel {
  /** Whether the argument must be given. MCP treats `undefined` as false. */
  required: boolean | undefined;

  constructor(init: PromptArgumentInit) {
    super(init);
    this.required = init.required;
  }
}

/** Constructor fields of `Prompt`. */
export interface PromptInit extends BaseModelInit {
  /** The arguments, in the order in which clients ask for them. */
  promptArguments?: PromptArgument[] | undefined;
}

/** An MCP prompt: messages that a user can choose, with arguments. */
export class Prompt extends GroupItem {
  promptArguments: PromptArgument[] | undefined;

  constructor(init: PromptInit) {
    super(init);
    this.promptArguments = init.promptArguments;
  }

  get kind(): 'prompt' {
    return 'prompt';
  }
}

/** Constructor fields of `Resource`. */
export interface ResourceInit extends BaseModelInit {
  /** URI of the resource. */
  uri: string;
  /** Size in bytes, before any encoding. */
  size?: number | undefined;
  /** The MIME type of the contents. */
  mimeType?: string | undefined;
  /** Audience, priority and time of the last change. */
  annotations?: Annotations | undefined;
}

/** An MCP resource: data with a URI that a client can read. */
export class Resource extends GroupItem {
  uri: string;
  /** Size in bytes, before any encoding. */
  size: number | undefined;
  mimeType: string | undefined;
  annotations: Annotations | undefined;

  constructor(init: ResourceInit) {
    super(init);
    this.uri = init.uri;
    this.size = init.size;
    this.mimeType = init.mimeType;
    this.annotations = init.annotations;
  }

  get kind(): 'resource' {
    return 'resource';
  }
}

/** Constructor fields of `ResourceTemplate`. */
export interface ResourceTemplateInit extends BaseModelInit {
  /** URI template (RFC 6570) of the resources, such as `file:///{path}`. */
  uriTemplate: string;
  /** The MIME type, if all resources of the template have the same. */
  mimeType?: string | undefined;
  /** Audience, priority and time of the last change. */
  annotations?: Annotations | undefined;
}

/** A family of resources, addressed by a URI template (RFC 6570). */
export class ResourceTemplate extends GroupItem {
  uriTemplate: string;
  mimeType: string | undefined;
  annotations: Annotations | undefined;

  constructor(init: ResourceTemplateInit) {
    super(init);
    this.uriTemplate = init.uriTemplate;
    this.mimeType = init.mimeType;
    this.annotations = init.annotations;
  }

  get kind(): 'resourceTemplate' {
    return 'resourceTemplate';
  }
}
