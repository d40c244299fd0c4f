/** `npm run walk`: counts the source files and functions that one `tools/call` over HTTP crosses. */
import { parseArgs } from 'node:util';
import { walkCalls } from './walk/walk-calls.js';
import type { Walk } from './walk/walk-calls.js';

/** A walk above these limits fails, because a reader has to follow it. */
const limits: Readonly<Record<Walk['client'], { readonly files: number; readonly functions: number }>> = {
  '2026 request': { files: 36, functions: 101 },
  '2025 session': { files: 46, functions: 134 },
};

const help = `npm run walk -- [--json] [--help]

Serves one tool over HTTP, warms it up, and prints the source files and functions that one tools/call crosses: first for a
2026 request, then for a 2025 session. The counts come from V8 coverage. Folders are listed from the top floor to the ground.
Exits with 1 if a walk crosses more files or functions than its limit.

  --json  print the walks as JSON
`;

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (values.help) process.stdout.write(help);
else {
  const walks = await walkCalls();
  const isAbove = ({ client, files, functions }: Walk): boolean =>
    files.length > limits[client].files || functions > limits[client].functions;
  if (values.json) console.log(JSON.stringify({ limits, walks }, undefined, 2));
  else {
    for (const walk of walks) console.log(`${format(walk)}\n`);
    for (const walk of walks) console.log(`${isAbove(walk) ? 'ABOVE ' : ''}${summarize(walk)}`);
  }
  process.exitCode = walks.some(isAbove) ? 1 : 0;
}

function format({ client, files }: Walk): string {
  const lines = [`One tools/call, ${client}`];
  let folder: string | undefined;
  for (const { file, functions } of files) {
    const at = file.lastIndexOf('/');
    if (file.slice(0, at + 1) !== folder) lines.push(`  ${(folder = file.slice(0, at + 1))}`);
    const names = functions.map(({ name, calls }) => (calls > 1 ? `${name} ×${calls}` : name));
    lines.push(`    ${file.slice(at + 1)}: ${names.join(', ')}`);
  }
  return lines.join('\n');
}

function summarize({ client, files, functions, calls }: Walk): string {
  const limit = limits[client];
  return `${client}: ${files.length} files (limit ${limit.files}), ${functions} functions (limit ${limit.functions}), ${calls} calls`;
}
