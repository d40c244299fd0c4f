import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount, formatShare } from '../../ui/figures.js';
import { visibleText } from '../../ui/text.js';
import type { CostItem } from './cost-model.js';
import { largestPart } from './cost-parts.js';
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
    <>
      <ul ref={element} class="cost-map" aria-label="Tokens as areas">
        {tiles.map((tile, index) => (
          <TileView key={index} tile={tile} link={linkOf(tile.item)} whole={item.tokens} />
        ))}
      </ul>
      <p class="small faint">The larger an area, the more tokens. Its colour is that of its largest part.</p>
    </>
  );
}

interface TileViewProps {
  readonly tile: Tile;
  readonly link: string | undefined;
  readonly whole: number;
}

function TileView({ tile, link, whole }: TileViewProps) {
  const { item, width, inner } = tile;
  const text = textOf(item, whole);
  return (
    <li class="cost-tile" data-kind={item.kind} style={styleOf(tile)}>
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
        {isWide(tile) ? (
          <span class="cost-tile-label">
            <bdi class="truncate">{visibleText(item.name)}</bdi>
            {width > 110 && <span class="cost-tile-tokens">{formatCount(item.tokens)}</span>}
          </span>
        ) : (
          <UprightLabel tile={tile} />
        )}
        {inner.map((each, at) => (
          <InnerTile key={at} tile={each} />
        ))}
      </div>
    </li>
  );
}

function InnerTile({ tile }: { readonly tile: Tile }) {
  const { item, height, inner } = tile;
  const hasTokens = inner.length === 0 && height >= 2 * LINE;
  return (
    <span class="cost-inner" data-kind={item.kind} title={textOf(item)} style={styleOf(tile)}>
      {isWide(tile) ? (
        <span class="cost-inner-label">
          {/* Names of the innermost areas may take several lines. */}
          <bdi
            class={inner.length > 0 ? 'truncate' : 'cost-name'}
            style={{ '-webkit-line-clamp': String(Math.floor(height / LINE) - (hasTokens ? 1 : 0)) }}
          >
            {visibleText(item.name)}
          </bdi>
          {hasTokens && <span class="cost-tile-tokens">{formatCount(item.tokens)}</span>}
        </span>
      ) : (
        <UprightLabel tile={tile} />
      )}
      {inner.map((each, at) => (
        <InnerTile key={at} tile={each} />
      ))}
    </span>
  );
}

function textOf({ name, tokens, parts }: CostItem, whole?: number): string {
  const share = whole === undefined ? '' : `, ${formatShare(tokens, whole)}`;
  const largest = parts ? `, largest part: ${largestPart(parts).label}` : '';
  return `${name}, ${formatCount(tokens)} tokens${share}${largest}`;
}

/** Pixels of a line of text. */
const LINE = 16;

/** Whether words fit across the area, rather than along it. */
function isWide({ width, height }: Tile): boolean {
  return height >= LINE && width > (height > width ? 60 : 40);
}

/** Labels an area from top to bottom. */
function UprightLabel({ tile: { item, width, height } }: { readonly tile: Tile }) {
  if (width < LINE || height <= 40) return null;
  return <bdi class="cost-upright">{visibleText(item.name)}</bdi>;
}

function styleOf({ item, x, y, width, height }: Tile) {
  return {
    left: `${x}px`,
    top: `${y}px`,
    width: `${width}px`,
    height: `${height}px`,
    ...(item.parts ? { '--hue': `var(${largestPart(item.parts).colour})` } : {}),
  };
}
