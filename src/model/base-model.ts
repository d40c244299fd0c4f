import type { Icon, Meta } from '../protocol/mcp-types.js';

/** What every group, tool, prompt and resource is made from. */
export interface BaseModelInit {
  /** What programs call it. */
  name: string;
  /** What people read in its place. */
  title?: string | undefined;
  /** What it is for, in the words that models and people read. */
  description?: string | undefined;
  /** Facts for programs, which go out as `_meta`. */
  meta?: Meta | undefined;
  /** Pictures that a client may show. */
  icons?: Icon[] | undefined;
}

/** What every MCP noun has. The name never changes; the rest may until the object is frozen. */
export abstract class BaseModel {
  declare readonly name: string;
  title: string | undefined;
  description: string | undefined;
  meta: Meta | undefined;
  icons: Icon[] | undefined;

  constructor(init: BaseModelInit) {
    // Groups index their children by name, so the name is fixed for plain JavaScript too.
    Object.defineProperty(this, 'name', { value: init.name, enumerable: true });
    this.title = init.title;
    this.description = init.description;
    this.meta = init.meta;
    this.icons = init.icons;
  }

  /** The name with the names of everything above it, outermost first. */
  getFullyQualifiedName(_separator = '.'): string {
    return this.name;
  }
}
