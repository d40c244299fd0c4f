/** The chart and the table of docs/reference/performance.md: each figure by the number of tools. */

const PANEL = { width: 200, height: 170 };
const LEFT = 48;
const TOP = 30;
const PLOT = { width: 136, height: 104 };

const panels = /** @type {const} */ ([
  ['register', 'registration, ms'],
  ['list', 'first list, ms'],
  ['call', 'a call, µs'],
  ['memory', 'heap, MB'],
]);

/**
 * Both axes are logarithmic, so that linear growth is a straight line from corner to corner and no growth is a flat one.
 *
 * @param {readonly import('./growth.mjs').Row[]} rows
 * @returns {string} an SVG image
 */
export function drawGrowth(rows) {
  const drawn = panels.map(([key, title], at) => {
    const values = rows.map((row) => row[key]);
    const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
    // Three decades at least, like those of the tools, so that slopes can be compared.
    const high = Math.max(low * 1_000, 10 ** Math.ceil(Math.log10(Math.max(...values))));
    const first = rows[0]?.tools ?? 1;
    const last = rows.at(-1)?.tools ?? 10;
    const x = (/** @type {number} */ tools) =>
      LEFT + (PLOT.width * Math.log10(tools / first)) / Math.log10(last / first);
    const y = (/** @type {number} */ value) =>
      TOP + PLOT.height - (PLOT.height * Math.log10(value / low)) / Math.log10(high / low);
    const points = rows.map((row) => `${x(row.tools).toFixed(1)},${y(row[key]).toFixed(1)}`);
    const labels = rows.map(
      (row) =>
        `<text x="${x(row.tools).toFixed(1)}" y="${(y(row[key]) - 6).toFixed(1)}" text-anchor="middle">${short(row[key])}</text>` +
        `<text x="${x(row.tools).toFixed(1)}" y="${TOP + PLOT.height + 14}" text-anchor="middle" class="tools">${short(row.tools)}</text>`,
    );
    return [
      `<g transform="translate(${at * PANEL.width} 0)">`,
      `<text x="${LEFT}" y="14" class="name">${title}</text>`,
      `<path d="M${LEFT} ${TOP} V${TOP + PLOT.height} H${LEFT + PLOT.width}" class="axis"/>`,
      `<polyline points="${points.join(' ')}" class="line"/>`,
      ...labels,
      '</g>',
    ].join('\n');
  });
  const width = panels.length * PANEL.width;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.height}" width="${width}" height="${PANEL.height}" role="img" aria-labelledby="title">`,
    '<title id="title">Registration, first list, call and memory for 10 to 10,000 tools</title>',
    '<style>',
    'text { font: 11px system-ui, sans-serif; fill: #14213d; } .tools { fill: #6b7280; } .name { font-weight: 600; }',
    '.page { fill: #ffffff; } .axis { fill: none; stroke: #9aa3b2; } .line { fill: none; stroke: #3b6fb6; stroke-width: 2; }',
    '@media (prefers-color-scheme: dark) {',
    'text { fill: #e6eaf2; } .tools { fill: #9aa3b2; } .page { fill: #12161f; } .line { stroke: #7aa7e0; }',
    '}',
    '</style>',
    `<rect class="page" width="${width}" height="${PANEL.height}"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {number} value */
function short(value) {
  if (value >= 1_000) return `${Number((value / 1_000).toPrecision(2))}k`;
  return String(Number(value.toPrecision(value < 10 ? 2 : 3)));
}

/**
 * @param {readonly import('./growth.mjs').Row[]} rows
 * @returns {string} a table in Markdown
 */
export function tabulateGrowth(rows) {
  const lines = rows.map(
    ({ tools, register, list, call, memory }) =>
      `| ${tools.toLocaleString('en')} | ${whole(register)} | ${whole(list)} | ${whole(call)} | ${whole(memory)} |`,
  );
  return `| tools | \`register()\`, ms | first list, ms | call, µs | heap, MB |\n|--:|--:|--:|--:|--:|\n${lines.join('\n')}\n`;
}

/** @param {number} value */
function whole(value) {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
}
