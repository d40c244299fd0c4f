import type { Annotations } from '../protocol/mcp-types.js';
import type { BaseModelInit } from './base-model.js';
import { GroupItem } from './group-item.js';

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
