import type { CompiledSpec, ToolSpec } from '../compile/compiled-tool.js';
import { wireNameOf } from '../protocol/wire-name.js';
import { ErrDuplicateName } from '../errors.js';
import { formatToolID } from '../model/tool.js';

/** ` at file:line` of whoever called register, where the runtime tells. */
export function whereRegistered(stack: string | undefined): string {
  const [, line = ''] = /^.*\n.*register.*\n\s*at (.*)$/m.exec(stack ?? '') ?? [];
  return line === '' ? '' : ` at ${line}`;
}

/** A registered tool, and where that was done. */
export interface RegisteredSpec extends CompiledSpec {
  readonly registeredAt: string;
}

/** Two tools with one ID, or with two IDs and one wire name. */
export function registeredTwice(
  spec: ToolSpec,
  { spec: first, registeredAt }: RegisteredSpec,
): ErrDuplicateName {
  const [id, other] = [spec, first].map((each) => formatToolID(each)) as [string, string];
  if (id === other) {
    return new ErrDuplicateName(`A tool "${id}" is already registered${registeredAt}.`, {
      hint: 'Rename one of them, or give them different namespaces; tools of another server get a prefix from fromMcpServer(…, { prefix }).',
      details: { name: id, kind: 'tool' },
    });
  }
  const name = wireNameOf(spec);
  return new ErrDuplicateName(
    `The tool "${id}" would be listed as "${name}", and so is "${other}", which is registered${registeredAt}.`,
    { hint: 'Rename one of them, or its namespace.', details: { name, kind: 'tool' } },
  );
}
