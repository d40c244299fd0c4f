import type { BaseModelInit } from './base-model.js';
import { GroupItem } from './group-item.js';

export type Role = 'user' | 'assistant';

/** Who content is for, how much it matters (0 to 1), and when it last changed (ISO 8601). */
export interface Annotations {
  audience?: Role[];
  priority?: number;
  lastModified?: string;
}

export interface ResourceInit extends BaseModelInit {
  uri: string;
  size?: number | undefined;
  mimeType?: string | undefined;
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

export interface ResourceTemplateInit extends BaseModelInit {
  uriTemplate: string;
  mimeType?: string | undefined;
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
