/** Removes what is marked `@internal` from a declaration file, as `stripInternal` of the compiler does for users. */
import { parseSync } from 'rolldown/utils';

interface Part {
  readonly type?: string;
  readonly start?: number;
  readonly end?: number;
}

/** Siblings need the marked members, so the declaration files in the workspace have them. */
export function cutInternal(path: string, text: string): string {
  if (!text.includes('@internal')) return text;
  const { program, comments } = parseSync(path, text, { lang: 'dts' });
  const marked = comments.filter(({ value }) => value.includes('@internal'));
  const cuts: (readonly [start: number, end: number])[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { start = 0, end = 0, type } = node as Part;
    const comment =
      type && marked.find((mark) => mark.end <= start && text.slice(mark.end, start).trim() === '');
    if (comment) cuts.push([text.lastIndexOf('\n', comment.start) + 1, text.indexOf('\n', end) + 1]);
    else for (const child of Object.values(node)) visit(child);
  };
  visit(program.body);
  return cuts
    .toSorted(([one], [other]) => other - one)
    .reduce((rest, [start, end]) => rest.slice(0, start) + rest.slice(end), text);
}
