import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount, formatShare } from '../../ui/figures.js';
import { visibleText } from '../../ui/text.js';
import type { CostItem } from './cost-model.js';
import { layoutTiles } from './treemap-layout.js';
import type { Tile } from './treemap-layout.js';

interface CostMapProps {
  readonly item: CostItem;
  readonly linkOf: (item: CostItem) => string | undefined;
}

/** Draws the parts of an item as areas. Each area is a link with its name and figures; nested areas are decoration. */
export function CostMap({ item, linkOf }: CostMapProps) {
  const element = useRef<HTMLUListElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const list = element.current;
    if (!list) return undefined;
    const observer = new ResizeObserver(() =>
      setSize({ width: list.clientWidth, height: list.clientHeight }),
    );
    observer.observe(list);
    return () => observer.disconnect();
  }, []);
  const tiles = useMemo(
    () => (size.width === 0 ? [] : layoutTiles(item, size.width, size.height)),
    [item, size.width, size.height],
  );
  return (
    <ul ref={element} class="cost-map" aria-label="Tokens as areas">
      {tiles.map((tile, index) => (
        <TileView key={index} tile={tile} link={linkOf(tile.item)} whole={item.tokens} />
      ))}
    </ul>
  );
}

interface TileViewProps {
  readonly tile: Tile;
  readonly link: string | undefined;
  readonly whole: number;
}

function TileView({ tile, link, whole }: TileViewProps) {
  const { item, width, height, inner } = tile;
  const text = `${item.name}, ${formatCount(item.tokens)} tokens, ${formatShare(item.tokens, whole)}`;
  return (
    <li class="cost-tile" data-kind={item.kind} style={placeOf(tile)}>
      {link === undefined ? (
        <span class="visually-hidden">{text}</span>
      ) : (
        <a class="cost-link" href={link}>
          <span class="visually-hidden">{text}</span>
        </a>
      )}
      {/* The drawing lies above the link, so that each of its areas can have a title. */}
      <div
        class="cost-drawing"
        aria-hidden="true"
        title={text}
        onClick={({ currentTarget }) => currentTarget.parentElement?.querySelector('a')?.click()}
      >
        {width > 48 && height > 20 && (
          <span class="cost-tile-label">
            <bdi class="truncate">{visibleText(item.name)}</bdi>
            {width > 110 && <span class="cost-tile-tokens">{formatCount(item.tokens)}</span>}
          </span>
        )}
        {inner.map((each, at) => (
          <InnerTile key={at} tile={each} />
        ))}
      </div>
    </li>
  );
}

function InnerTile({ tile }: { readonly tile: Tile }) {
  const { item, width, height, inner } = tile;
  return (
    <span
      class="cost-inner"
      data-kind={item.kind}
      title={`${item.name}: ${formatCount(item.tokens)} tokens`}
      style={placeOf(tile)}
    >
      {width > 48 && height > 16 && <bdi class="cost-inner-label truncate">{visibleText(item.name)}</bdi>}
      {inner.map((each, at) => (
        <InnerTile key={at} tile={each} />
      ))}
    </span>
  );
}

function placeOf({ x, y, width, height }: Tile) {
  return { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
}
