import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy';
import type { HierarchyRectangularNode } from 'd3-hierarchy';
import { topItems } from './cost-model.js';
import type { CostItem } from './cost-model.js';

/** An area, with its position in the area around it. */
export interface Tile {
  readonly item: CostItem;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly inner: readonly Tile[];
}

/** Maximum number of areas on each level. Deeper levels are not drawn. */
const limits = [80, 24, 12];
/** Pixels for the name above the inner areas, on each level. */
const heads = [0, 24, 18];
const GAP = 3;
const MIN_SIZE = 4;

interface Drawn {
  readonly item: CostItem;
  readonly children: readonly Drawn[];
}

function draw(item: CostItem, level: number): Drawn {
  const limit = limits[level];
  const children = limit === undefined ? [] : topItems(item.children, limit);
  return { item, children: children.map((child) => draw(child, level + 1)) };
}

/** Lays out an item as areas, sized by tokens: its parts, and two further levels inside them. */
export function layoutTiles(parent: CostItem, width: number, height: number): readonly Tile[] {
  const root = hierarchy<Drawn>(draw(parent, 0), ({ children }) => [...children]).sum(({ item, children }) =>
    children.length === 0 ? item.tokens : 0,
  );
  const edge = (node: HierarchyRectangularNode<Drawn>) => (node.depth === 0 || !node.children ? 0 : GAP);
  const placed = treemap<Drawn>()
    .size([width, height])
    .tile(treemapSquarify)
    .paddingInner(GAP)
    .paddingTop((node) => (node.children ? (heads[node.depth] ?? 0) : 0))
    .paddingLeft(edge)
    .paddingRight(edge)
    .paddingBottom(edge)
    .round(true)(root);
  return tilesOf(placed);
}

function tilesOf(parent: HierarchyRectangularNode<Drawn>): Tile[] {
  return (parent.children ?? [])
    .map((node) => ({
      item: node.data.item,
      x: node.x0 - parent.x0,
      y: node.y0 - parent.y0,
      width: node.x1 - node.x0,
      height: node.y1 - node.y0,
      inner: tilesOf(node),
    }))
    .filter((tile) => parent.depth === 0 || (tile.width >= MIN_SIZE && tile.height >= MIN_SIZE));
}
