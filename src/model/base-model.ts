import type { Icon, Meta } from '../protocol/mcp-types.js';

/** The fields that groups, tools, prompts and resources have in common. */
export interface BaseModelInit {
  /** The name that programs use. */
  name: string;
  /** The name that people read. */
  title?: string | undefined;
  /** The purpose of the item, for models and people. */
  description?: string | undefined;
  /** Data for programs, sent as `_meta`. */
  meta?: Meta | undefined;
  /** Icons that a client may show. */
  icons?: Icon[] | undefined;
}

/** The base of every MCP noun. The name never changes; other fields may change until the object is frozen. */
export abstract class BaseModel {
  declare readonly name: string;
  title: string | undefined;
  description: string | undefined;
  meta: Meta | undefined;
  icons: Icon[] | undefined;

  constructor(init: BaseModelInit) {
    // Groups index their children by name, so plain JavaScript must not be able to change the name either.
    Object.defineProperty(this, 'name', { value: init.name, enumerable: true });
    this.title = init.title;
    this.description = init.description;
    this.meta = init.meta;
    this.icons = init.icons;
  }

  /** The names of all groups above the item and its own name, outermost first. */
  getFullyQualifiedName(_separator = '.'): string {
    return this.name;
  }
}
