import { BaseModel, GroupItem } from './base.js';
import type { BaseModelInit } from './base.js';
import type { Annotations } from '../protocol/mcp-types.js';

/** The fields of a prompt argument. */
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

/** The fields of a prompt. */
export interface PromptInit extends BaseModelInit {
  /** The arguments, in the order in which clients ask for them. */
  promptArguments?: PromptArgument[] | undefined;
}

/** An MCP prompt. */
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

/** The fields of a resource. */
export interface ResourceInit extends BaseModelInit {
  /** The address of the resource. */
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

/** The fields of a resource template. */
export interface ResourceTemplateInit extends BaseModelInit {
  /** The addresses of its resources as an RFC 6570 template, such as `file:///{path}`. */
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
