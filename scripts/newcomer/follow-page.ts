/**
 * Follows a page like a newcomer, in an empty folder: a block of code from `examples/start/x.ts` is saved as `x.ts`, and
 * each line after a `$` in a block below `<!-- walk -->` is executed. Returns the page with the output. With
 * `WALK_INSTALL=registry`, npm installs from its registry; otherwise the packages of this repository are linked.
 */
import { basename } from 'node:path';
import { Newcomer } from './newcomer.js';

const steps =
  /<!-- code: (examples\/start\/\S+) -->\n```ts\n([\s\S]*?)\n```|(<!-- walk -->\n```console\n)([\s\S]*?)```/g;

export async function followPage(markdown: string): Promise<string> {
  const newcomer = await Newcomer.arrive();
  try {
    let page = '';
    let end = 0;
    for (const match of markdown.matchAll(steps)) {
      const [whole, file, code = '', head = '', body = ''] = match;
      page += markdown.slice(end, match.index);
      end = match.index + whole.length;
      if (file === undefined) page += `${head}${await typeAll(newcomer, body)}\`\`\``;
      else {
        newcomer.write(basename(file), code);
        page += whole;
      }
    }
    return page + markdown.slice(end);
  } finally {
    await newcomer.leave();
  }
}

async function typeAll(newcomer: Newcomer, block: string): Promise<string> {
  const lines = block.split('\n').filter((line) => line.startsWith('$ '));
  let shown = '';
  for (const line of lines) {
    const output = await newcomer.type(line.slice(2));
    shown += `${line}\n${output === '' ? '' : `${output}\n`}`;
  }
  return shown;
}
