import type { ContextValues } from 'toolfold/web';
import { ErrInvalidSessionContext } from 'toolfold/errors';
import type { Secrets } from './redact-secrets.js';
import { CommandError } from '@toolfold/analysis/internal';

/** A session value, which is known only during a call. */
interface SessionPart {
  readonly key: string;
  readonly fallback: string | undefined;
}

/** A text with resolved environment variables. Session values are still open. */
export type Template = readonly (string | SessionPart)[];

/** Matches an escaped `${`, or a variable. Its default may contain environment variables. */
const VARIABLE = /\$\$\{|\$\{((?:[^{}]|\$\{[^{}]*\})*)\}/g;
const NAME = /^(?:(\w+):)?([A-Za-z_][\w.-]*)$/;
/** Variables that are not secret and that help in messages. */
const harmless = new Set(['HOME', 'PATH', 'PWD', 'TMPDIR', 'USER', 'USERPROFILE']);
const MAX_SESSION_VALUE = 8_192;

interface TemplateOptions {
  readonly place: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly takesSession: boolean;
  /** Collects the values of variables, because messages must not contain them. Default: none. */
  readonly secrets?: Pick<Secrets, 'add'>;
}

/**
 * Parses a text with variables: `${VAR}`, `${env:VAR}` and `${session:key}`, each with an optional default, as in
 * `${VAR:-default}`. `$${` is a literal `${`. Errors name variables but never contain values.
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
  // As in a shell, `:-` also replaces an empty value.
  if (value !== undefined && (value !== '' || fallback === undefined)) return value;
  if (fallback !== undefined) return fallback;
  throw new CommandError(
    `${place} uses the environment variable ${name}, which is not set. Set it, or write \${${name}:-default}.`,
  );
}

export function sessionKeysOf(template: Template): string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part.key]));
}

export function hasOwnValue(template: Template): boolean {
  return template.every((part) => typeof part === 'string' || part.fallback !== undefined);
}

/** Fills in session values. Throws an error for the caller if one is missing. */
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
  // Line breaks could inject headers. The message must not contain the value, because it may be a credential.
  // oxlint-disable-next-line no-control-regex
  if (typeof value !== 'string' || value.length > MAX_SESSION_VALUE || /[\u0000-\u001f\u007f]/.test(value))
    throw new ErrInvalidSessionContext(
      `"${key}" of the caller's session must be text of at most ${MAX_SESSION_VALUE} characters without control characters.`,
      { details: { key } },
    );
  return value;
}
