import type { ContextValues } from '../../../callers/session-context.js';
import { ErrInvalidSessionContext } from '../../../errors.js';
import type { Secrets } from './redact-secrets.js';
import { CommandError } from '../../../analysis/command-error.js';

/** A value of the caller's session, which is known only in a call. */
interface SessionPart {
  readonly key: string;
  readonly fallback: string | undefined;
}

/** A text with the environment already filled in. Only values of the caller's session are still open. */
export type Template = readonly (string | SessionPart)[];

/** An escaped `${`, or a variable, whose default may contain variables of the environment. */
const VARIABLE = /\$\$\{|\$\{((?:[^{}]|\$\{[^{}]*\})*)\}/g;
const NAME = /^(?:(\w+):)?([A-Za-z_][\w.-]*)$/;
/** Variables whose values are no secrets and help in messages. */
const harmless = new Set(['HOME', 'PATH', 'PWD', 'TMPDIR', 'USER', 'USERPROFILE']);
const MAX_SESSION_VALUE = 8_192;

interface TemplateOptions {
  /** Names the text in errors: the file and the path to the field. */
  readonly place: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the text may use values of the caller's session. */
  readonly takesSession: boolean;
  /** Collects the values of variables, which messages must not repeat. Default: none. */
  readonly secrets?: Pick<Secrets, 'add'>;
}

/**
 * Reads a text with variables: `${VAR}`, `${env:VAR}` and `${session:key}`, each with an optional default, as in
 * `${VAR:-default}`. `$${` is a literal `${`. Errors name variables, and never repeat values.
 */
export function readTemplate(text: string, { place, env, takesSession, secrets }: TemplateOptions): Template {
  const parts: (string | SessionPart)[] = [];
  let end = 0;
  for (const { 0: found, 1: inside = '', index } of text.matchAll(VARIABLE)) {
    parts.push(text.slice(end, index));
    end = index + found.length;
    if (found === '$${') {
      parts.push('${');
      continue;
    }
    const [written = '', ...rest] = inside.split(':-');
    const fallback =
      rest.length === 0
        ? undefined
        : readTemplate(rest.join(':-'), {
            place,
            env,
            takesSession: false,
            ...(secrets ? { secrets } : {}),
          }).join('');
    const [, kind = 'env', name] = NAME.exec(written) ?? [];
    if (name === undefined)
      throw new CommandError(
        `${place} has a variable whose name is not valid. Write \${NAME} or \${NAME:-default}.`,
      );
    if (kind === 'session') {
      if (!takesSession)
        throw new CommandError(
          `${place} uses \${session:${name}}, but values of the session are possible only in headers and env.`,
        );
      parts.push({ key: name, fallback });
    } else if (kind === 'env') {
      const value = readVariable(name, fallback, { place, env });
      if (!harmless.has(name)) secrets?.add(value);
      parts.push(value);
    } else
      throw new CommandError(
        `${place} uses \${${kind}:${name}}, which is not supported. Set an environment variable, and write \${${name}}.`,
      );
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

function readVariable(
  name: string,
  fallback: string | undefined,
  { place, env }: Pick<TemplateOptions, 'place' | 'env'>,
): string {
  const value = env[name];
  // As in a shell, `:-` replaces an empty value too.
  if (value !== undefined && (value !== '' || fallback === undefined)) return value;
  if (fallback !== undefined) return fallback;
  throw new CommandError(
    `${place} uses the environment variable ${name}, which is not set. Set it, or write \${${name}:-default}.`,
  );
}

/** The keys of the session that a template uses. */
export function sessionKeysOf(template: Template): string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part.key]));
}

/** Whether a template has a value without a session. */
export function hasOwnValue(template: Template): boolean {
  return template.every((part) => typeof part === 'string' || part.fallback !== undefined);
}

/** Fills in the values of a session. Throws an error for the caller if the session lacks one. */
export function fillTemplate(template: Template, session: ContextValues, server: string): string {
  return template
    .map((part) => (typeof part === 'string' ? part : readSession(part, session, server)))
    .join('');
}

function readSession({ key, fallback }: SessionPart, session: ContextValues, server: string): string {
  const value = Object.hasOwn(session, key) ? session[key] : undefined;
  if (value === undefined && fallback !== undefined) return fallback;
  if (value === undefined)
    throw new ErrInvalidSessionContext(`The server "${server}" needs "${key}" of the caller's session.`, {
      hint: 'Send it in the header mcp-session-config.',
      details: { key },
    });
  // Line breaks could add headers, and the message must not repeat a credential.
  // oxlint-disable-next-line no-control-regex
  if (typeof value !== 'string' || value.length > MAX_SESSION_VALUE || /[\u0000-\u001f\u007f]/.test(value))
    throw new ErrInvalidSessionContext(
      `"${key}" of the caller's session must be text of at most ${MAX_SESSION_VALUE} characters without control characters.`,
      { details: { key } },
    );
  return value;
}
