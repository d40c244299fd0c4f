import { ErrInvalidModel } from '../../errors.js';
import type {
  Meta,
  Icon,
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpTool,
} from '../../protocol/mcp-types.js';
import { Group } from '../group.js';
import type { GroupItem } from '../group-item.js';
import { childrenOf } from '../links.js';
import type { Tool } from '../tool.js';
import { GroupConverterBase, ToolConverterBase } from './bases.js';
import type { ConverterBase } from './converter-base.js';
import { McpPromptConverter } from './mcp-prompt.js';
import { McpResourceConverter, McpResourceTemplateConverter } from './mcp-resource.js';
import { McpToolConverter } from './mcp-tool.js';
import { WireFields, defined } from './wire-fields.js';

/** Stands for an item that the tree has already shown in full, at the path of names given. */
export interface SameAs {
  /** The name of the item. */
  name: string;
  /** The names from the root to where it is shown in full. */
  sameAs: string[];
}

/** A tool in the tree shows its identity beside the MCP fields. */
export interface TreeTool extends McpTool {
  /** Whose tool it is. */
  namespace?: string;
  /** The version of the tool. */
  version?: string;
  /** Words by which it is found. */
  tags?: string[];
}

/** A group and everything below it as JSON. An item held by several groups is written out once. */
export interface GroupTree {
  /** What programs call the group. */
  name: string;
  /** What people read in place of the name. */
  title?: string;
  /** What the group is about. */
  description?: string;
  /** Pictures that a client may show. */
  icons?: Icon[];
  /** Facts for programs. */
  _meta?: Meta;
  /** The tools of the group, in its order. */
  tools?: (TreeTool | SameAs)[];
  /** The prompts of the group, in its order. */
  prompts?: (McpPrompt | SameAs)[];
  /** The resources of the group, in its order. */
  resources?: (McpResource | SameAs)[];
  /** The resource templates of the group, in its order. */
  resourceTemplates?: (McpResourceTemplate | SameAs)[];
  /** The groups below it. */
  groups?: GroupTree[];
}

/** A tree may nest this deep, written or read. */
const MAX_DEPTH = 64;

/** Groups to and from a JSON tree, for lockfiles and for display. */
export class GroupTreeConverter extends GroupConverterBase<GroupTree> {
  override convertFrom(group: Group): GroupTree {
    return writeGroup(group, [group.name], new Map());
  }

  override convertTo(tree: GroupTree): Group {
    return readGroup(new WireFields(tree, 'group', ErrInvalidModel), [], new Map());
  }
}

/** A tool with all that the model holds: what 2026-07-28 says, and what it does not. */
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

// Writing and reading visit items in one and the same order, so a reference always points backwards.

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
  const name = fields.required(fields.string('name'), 'name');
  const path = [...above, name];
  assertDepth(path);
  const group = new Group({
    name,
    title: fields.string('title'),
    description: fields.string('description'),
    icons: fields.icons(),
    meta: fields.object('_meta'),
  });
  for (const [key, kind, converter] of itemKinds) {
    for (const json of fields.list(key) ?? []) {
      const sameAs = new WireFields(json, kind, ErrInvalidModel).strings('sameAs');
      const item = sameAs ? read.get(address(kind, sameAs)) : converter.convertTo(json as object);
      if (!item || (sameAs && (json as SameAs).name !== item.name)) {
        throw new ErrInvalidModel(
          `Group "${path.join('.')}" refers to a ${kind} that the tree does not show before.`,
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
