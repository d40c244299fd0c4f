import { ErrDuplicateName } from '../errors.js';

/** ` at file:line` of whoever called register, where the runtime tells. */
export function whereRegistered(stack: string | undefined): string {
  const [, line = ''] = /^.*\n.*register.*\n\s*at (.*)$/m.exec(stack ?? '') ?? [];
  return line === '' ? '' : ` at ${line}`;
}

export function registeredTwice(name: string, registeredAt: string): ErrDuplicateName {
  return new ErrDuplicateName(`A tool "${name}" is already registered${registeredAt}.`, {
    hint: 'Rename one of them; tools of another server get a prefix from fromMcpServer(…, { prefix }).',
    details: { name, kind: 'tool' },
  });
}
