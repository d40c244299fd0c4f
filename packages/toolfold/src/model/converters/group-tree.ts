import { ErrInvalidModel } from '@toolfold/schema/errors';
import type { McpPrompt, McpResource, McpResourceTemplate } from '../../protocol/mcp-types.js';
import type { Meta, Icon, McpTool } from '@toolfold/profiles';
import { Group } from '../group.js';
import type { GroupItem } from '../base.js';
import { childrenOf } from '../base.js';
import type { Tool } from '../tool.js';
import { GroupConverterBase, ToolConverterBase } from './converter-base.js';
import type { ConverterBase } from './converter-base.js';
import {
  McpPromptConverter,
  McpResourceConverter,
  McpResourceTemplateConverter,
  McpToolConverter,
} from './mcp-converters.js';
import { defined } from '../../values/defined.js';
import { WireFields } from './wire-fields.js';

/** A reference to an item that is written at another place of the tree. */
export interface SameAs {
  /** The name of the item. */
  name: string;
  /** The names from the root to the place where the item is written out. */
  sameAs: string[];
}

/** A tool in the tree: its MCP fields, and its namespace, version and tags. */
export interface TreeTool extends McpTool {
  /** The owner of the tool. */
  namespace?: string;
  /** The version of the tool. */
  version?: string;
  /** Tags for search and filters. */
  tags?: string[];
}

/** A group and everything below it as JSON. An item in several groups is written out once. */
export interface GroupTree {
  /** The name that programs use. */
  name: string;
  /** The name that people read. */
  title?: string;
  /** The purpose of the group. */
  description?: string;
  /** Icons that a client may show. */
  icons?: Icon[];
  /** Data for programs. */
  _meta?: Meta;
  /** The tools of the group, in the order of the group. */
  tools?: (TreeTool | SameAs)[];
  /** The prompts of the group, in the order of the group. */
  prompts?: (McpPrompt | SameAs)[];
  /** The resources of the group, in the order of the group. */
  resources?: (McpResource | SameAs)[];
  /** The resource templates of the group, in the order of the group. */
  resourceTemplates?: (McpResourceTemplate | SameAs)[];
  /** The groups in this group. */
  groups?: GroupTree[];
}

/** Maximum nesting depth of groups, for writing and reading. */
const MAX_DEPTH = 64;

/** Converts groups to and from a JSON tree, for lockfiles and display. */
export class GroupTreeConverter extends GroupConverterBase<GroupTree> {
  override convertFrom(group: Group): GroupTree {
    return writeGroup(group, [group.name], new Map());
  }

  override convertTo(tree: GroupTree): Group {
    return readGroup(new WireFields(tree, 'group', ErrInvalidModel), [], new Map());
  }
}

/** Converts all fields of a tool, including those that 2026-07-28 does not have. */
class TreeToolConverter extends ToolConverterBase<TreeTool> {
  readonly #mcp = new McpToolConverter({ returnDirect: true });

  override convertFrom(tool: Tool): TreeTool {
    return defined<TreeTool>({
      ...this.#mcp.convertFrom(tool),
      execution: tool.execution,
      namespace: tool.namespace,
      version: tool.version,
      tags: tool.tags.length > 0 ? [...tool.tags] : undefined,
    });
  }

  override convertTo(json: TreeTool): Tool {
    const fields = new WireFields(json, 'tool', ErrInvalidModel);
    const tool = this.#mcp.convertTo(json);
    tool.namespace = fields.string('namespace');
    tool.version = fields.string('version');
    return tool.setTags(fields.strings('tags') ?? []);
  }
}

type ItemKey = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';
type ItemConverter = Pick<ConverterBase<GroupItem, object>, 'convertFrom' | 'convertTo'>;

const itemKinds: readonly (readonly [ItemKey, GroupItem['kind'], ItemConverter])[] = [
  ['tools', 'tool', new TreeToolConverter() as ItemConverter],
  ['prompts', 'prompt', new McpPromptConverter() as ItemConverter],
  ['resources', 'resource', new McpResourceConverter() as ItemConverter],
  ['resourceTemplates', 'resourceTemplate', new McpResourceTemplateConverter() as ItemConverter],
];

/** An item in several groups is written once, and later places refer to it. Readers visit groups in the same order. */
function writeGroup(group: Group, path: string[], written: Map<GroupItem, string[]>): GroupTree {
  assertDepth(path);
  const lists = itemKinds.map(([key, kind, converter]) => {
    const items = childrenOf(group, kind) as GroupItem[];
    const list = items.map((item) => {
      const sameAs = written.get(item);
      if (sameAs) return { name: item.name, sameAs };
      written.set(item, [...path, item.name]);
      return converter.convertFrom(item);
    });
    return [key, list.length > 0 ? list : undefined];
  });
  const groups = group.childGroups.map((child) => writeGroup(child, [...path, child.name], written));
  return defined<GroupTree>({
    name: group.name,
    title: group.title,
    description: group.description,
    icons: group.icons,
    _meta: group.meta,
    ...Object.fromEntries(lists),
    groups: groups.length > 0 ? groups : undefined,
  });
}

function readGroup(fields: WireFields, above: string[], read: Map<string, GroupItem>): Group {
  const base = fields.base();
  const path = [...above, base.name];
  assertDepth(path);
  const group = new Group(base);
  for (const [key, kind, converter] of itemKinds) {
    for (const json of fields.list(key) ?? []) {
      const sameAs = new WireFields(json, kind, ErrInvalidModel).strings('sameAs');
      const item = sameAs ? read.get(address(kind, sameAs)) : converter.convertTo(json as object);
      if (!item || (sameAs && (json as SameAs).name !== item.name)) {
        throw new ErrInvalidModel(
          `Group "${path.join('.')}" refers to a ${kind} that the tree has not written out before.`,
          {
            details: { sameAs },
          },
        );
      }
      read.set(address(kind, [...path, item.name]), item);
      group.add(item);
    }
  }
  for (const child of fields.nestedList('groups') ?? []) group.add(readGroup(child, path, read));
  return group;
}

function assertDepth(path: readonly string[]): void {
  if (path.length > MAX_DEPTH)
    throw new ErrInvalidModel(`The group tree is more than ${MAX_DEPTH} levels deep.`);
}

function address(kind: string, path: readonly string[]): string {
  return JSON.stringify([kind, ...path]);
}
