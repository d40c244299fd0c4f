import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Badge } from '../badge.js';
import { countOf } from '../figures.js';
import { Text, visibleText } from '../text.js';
import { outlineSchema } from './outline.js';
import type { OutlineNode } from './outline.js';

/** Renders notes at a place of the schema, such as the findings of the linter. */
export type NotesAt = (pointers: readonly string[]) => ComponentChildren;

interface SchemaOutlineProps {
  readonly schema: unknown;
  /** The pointer of the schema itself, such as `/inputSchema`. */
  readonly base?: string | undefined;
  readonly notesAt?: NotesAt | undefined;
  /** Text for an empty outline. */
  readonly empty?: string | undefined;
}

const OPEN_DEPTH = 3;
const MAX_CHILDREN = 200;
const MAX_VALUES = 30;

/** Describes a schema in words: names, types, limits, alternatives and nested parts. */
export function SchemaOutline({ schema, base = '', notesAt, empty = 'No fields.' }: SchemaOutlineProps) {
  const root = useMemo(() => outlineSchema(schema, base), [schema, base]);
  const children = useMemo(() => root.children(), [root]);
  const isPlainObject = root.type === 'object';
  return (
    <div>
      {notesAt?.(root.pointers)}
      {!isPlainObject && <NodeHead node={root} />}
      {isPlainObject && root.facts.length > 0 && <Facts node={root} />}
      {children.length === 0 ? (
        isPlainObject && <p class="soft small">{empty}</p>
      ) : (
        <NodeList nodes={children} depth={0} notesAt={notesAt} />
      )}
    </div>
  );
}

interface NodeListProps {
  readonly nodes: readonly OutlineNode[];
  readonly depth: number;
  readonly notesAt: NotesAt | undefined;
}

function NodeList({ nodes, depth, notesAt }: NodeListProps) {
  const [limit, setLimit] = useState(MAX_CHILDREN);
  return (
    <ul class="outline-list">
      {nodes.slice(0, limit).map((node, index) => (
        <li key={index} class="outline-field">
          <OutlineItem node={node} depth={depth} notesAt={notesAt} />
        </li>
      ))}
      {nodes.length > limit && (
        <li class="outline-field">
          <button type="button" class="link-button small" onClick={() => setLimit(limit + MAX_CHILDREN)}>
            {countOf(nodes.length - limit, 'more field')}
          </button>
        </li>
      )}
    </ul>
  );
}

function OutlineItem({
  node,
  depth,
  notesAt,
}: {
  readonly node: OutlineNode;
  readonly depth: number;
  readonly notesAt: NotesAt | undefined;
}) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const children = useMemo(() => node.children(), [node]);
  return (
    <>
      <NodeHead node={node} />
      {notesAt?.(node.pointers)}
      {children.length > 0 &&
        (isOpen ? (
          <NodeList nodes={children} depth={depth + 1} notesAt={notesAt} />
        ) : (
          <button type="button" class="link-button small" onClick={() => setOpen(true)}>
            Show {countOf(children.length, 'part')}
          </button>
        ))}
    </>
  );
}

function NodeHead({ node }: { readonly node: OutlineNode }) {
  return (
    <>
      <div class="outline-head">
        {node.label !== '' && (
          <bdi class={node.kind === 'property' ? 'outline-name' : 'outline-alternative'}>
            {visibleText(node.label)}
          </bdi>
        )}
        <span class="outline-type">
          <bdi>{visibleText(node.type)}</bdi>
        </span>
        {node.isRequired && <span class="outline-required">required</span>}
        {node.isRecursive && <span class="outline-type">(as above)</span>}
      </div>
      {node.description !== undefined && (
        <div class="outline-text">
          <Text value={node.description} clamp={4} />
        </div>
      )}
      {(node.facts.length > 0 || node.values.length > 0) && <Facts node={node} />}
      {node.problem !== undefined && (
        <div class="field-error">
          <Text value={node.problem} />
        </div>
      )}
    </>
  );
}

function Facts({ node }: { readonly node: OutlineNode }) {
  const [showsAll, setShowsAll] = useState(false);
  const values = showsAll ? node.values : node.values.slice(0, MAX_VALUES);
  return (
    <div class="outline-facts">
      {values.map((value, index) => (
        <code key={index} class="badge badge-outline">
          <bdi>{visibleText(value)}</bdi>
        </code>
      ))}
      {values.length < node.values.length && (
        <button type="button" class="link-button" onClick={() => setShowsAll(true)}>
          {countOf(node.values.length - values.length, 'more value')}
        </button>
      )}
      {node.facts.map((fact) => (
        <Badge key={fact}>{fact}</Badge>
      ))}
    </div>
  );
}
