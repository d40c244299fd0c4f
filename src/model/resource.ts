import type { Annotations } from '../protocol/mcp-types.js';
import type { BaseModelInit } from './base-model.js';
import { GroupItem } from './group-item.js';

/** What a resource is made from. */
export interface ResourceInit extends BaseModelInit {
  /** Where it is. */
  uri: string;
  /** In bytes, before any encoding. */
  size?: number | undefined;
  /** The type of its contents. */
  mimeType?: string | undefined;
  /** For whom it is, how much it matters, and when it changed. */
  annotations?: Annotations | undefined;
}

/** What MCP calls a resource: something with a URI that a client can read. */
export class Resource extends GroupItem {
  uri: string;
  /** In bytes, before any encoding. */
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

/** What a resource template is made from. */
export interface ResourceTemplateInit extends BaseModelInit {
  /** The addresses of its resources, as RFC 6570 writes them: `file:///{path}`. */
  uriTemplate: string;
  /** The type of the contents, where it is the same for all of its resources. */
  mimeType?: string | undefined;
  /** For whom they are, how much they matter, and when they changed. */
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
