import { toLine } from 'toolfold/internal';

/** Formats a workflow command, which GitHub shows as an annotation. Escapes its texts, because they may come from an untrusted server. */
export function githubCommand(
  command: string,
  properties: readonly (readonly [name: string, value: string | number | undefined])[],
  message: string,
): string {
  const written = properties.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(toLine(String(value)))}`],
  );
  const lines = message.split('\n').map((line) => toLine(line));
  return `::${command} ${written.join(',')}::${escapeData(lines.join('\n'))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
