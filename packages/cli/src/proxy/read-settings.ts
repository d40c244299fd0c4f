import type { ProfileName } from '@toolfold/profiles';
import type { SearchSidecar } from '@toolfold/search';
import type { ToolOverrides } from '@toolfold/gateway';
import { isSecure } from '@toolfold/schema/internal';
import { isSearchForm } from 'toolfold/internal';
import type { Authenticator } from 'toolfold/web';
import { quote, readLockfile, UsageError } from '@toolfold/analysis/internal';
import { readSidecarFile } from '../search/read-sidecar.js';
import type { Form, Selection } from '@toolfold/analysis/internal';
import { describeTarget, readFormOptions, readProfile, readServer } from '../target/read-target.js';
import type { ServerTarget } from '../target/read-target.js';
import type { ToolChoice } from '../target/find-tool.js';
import { readList, readPort } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { readConfig } from './config/read-config.js';
import type { GatewayConfig } from './config/read-config.js';
import { readOverridesFile } from './config/read-overrides.js';
import { readAuth } from './read-auth.js';
import type { ReviewRule } from './review-tools.js';

export interface HttpSettings {
  readonly port: number;
  readonly host: string | undefined;
  readonly allowedHosts: readonly string[] | undefined;
  readonly auth: Authenticator | undefined;
}

export interface ProxySettings extends ToolChoice {
  readonly source: { readonly target: ServerTarget } | { readonly config: GatewayConfig };
  readonly form: Form;
  readonly code: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  /** `undefined` to serve standard input and output. */
  readonly http: HttpSettings | undefined;
  readonly prefix: string | undefined;
  readonly pinned: readonly string[];
  readonly words: { readonly file: string; readonly sidecar: SearchSidecar } | undefined;
  readonly overrides: { readonly file: string; readonly tools: ToolOverrides } | undefined;
  readonly review: ReviewRule | undefined;
  /** Maximum number of calls per minute, for each caller and tool. */
  readonly rateLimit: number | undefined;
  readonly isTraced: boolean;
  readonly isJson: boolean;
}

export function readSettings(read: ReadArguments): ProxySettings {
  const { options } = read;
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const { form = 'grouped', code } = readFormOptions(read);
  const pinned = readList(options.get('pinned')) ?? [];
  if (pinned.length > 0 && !isSearchForm(form))
    throw new UsageError('--pinned works only with --form search or --form code.');
  const words = one('search-file');
  if (words !== undefined && !isSearchForm(form))
    throw new UsageError('--search-file works only with --form search or --form code.');
  const overrides = one('overrides');
  const source = readSource(read);
  return {
    source,
    form,
    code,
    profile: readProfile(one('profile'), true),
    http: readHttp(read),
    prefix: readPrefix(one('prefix')),
    pinned,
    words: words === undefined ? undefined : { file: words, sidecar: readSidecarFile(words) },
    overrides: overrides === undefined ? undefined : { file: overrides, tools: readOverridesFile(overrides) },
    review: readReview(read, source),
    rateLimit: readRateLimit(one('rate-limit')),
    isTraced: options.has('otel'),
    isJson: options.has('json'),
    toolsets: readList(options.get('toolsets')),
    tools: readList(options.get('tools')),
    excludeTools: readList(options.get('exclude-tools')),
    readOnly: options.has('readonly'),
  };
}

function readSource(read: ReadArguments): ProxySettings['source'] {
  const file = read.options.get('config')?.[0];
  if (file === undefined) {
    const { target, others } = readServer(read);
    if (others.length > 0)
      throw new UsageError(`Unexpected argument "${others[0]}". See toolfold proxy --help.`);
    return { target };
  }
  if (read.rest !== undefined || read.positionals.length > 0)
    throw new UsageError('Both --config and another argument name a server. Pass only one of them.');
  const other = ['header', 'prefix'].find((name) => read.options.has(name));
  if (other !== undefined)
    throw new UsageError(`--${other} cannot be used with --config. Write it into the file.`);
  return { config: readConfig(file) };
}

function readPrefix(prefix: string | undefined): string | undefined {
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(prefix))
    throw new UsageError('--prefix must have at most 32 letters, digits, _ and -.');
  return prefix;
}

function readRateLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--rate-limit must be a number of calls in a minute, not "${text}".`);
  return Number(text);
}

function readReview({ options }: ReadArguments, source: ProxySettings['source']): ReviewRule | undefined {
  const file = options.get('lock')?.[0];
  const changed = options.get('changed')?.[0];
  if (file === undefined && changed !== undefined) throw new UsageError('--changed works only with --lock.');
  if (changed !== undefined && changed !== 'quarantine' && changed !== 'reject')
    throw new UsageError(`--changed must be quarantine or reject, not "${changed}".`);
  if (file === undefined) return undefined;
  const what =
    'config' in source
      ? `--config ${quote(source.config.file)} ${quote(file)}`
      : 'url' in source.target
        ? `${quote(file)} ${quote(describeTarget(source.target))}`
        : `${quote(file)} -- ${[source.target.command, ...source.target.args].map(quote).join(' ')}`;
  return {
    file,
    lock: readLockfile(file),
    changed: changed ?? 'quarantine',
    diffCommand: `toolfold diff ${what}`,
  };
}

const httpOnly = [
  'host',
  'public-url',
  'allowed-hosts',
  'auth-keys',
  'auth-issuer',
  'auth-audience',
  'insecure',
];

/** Reads the HTTP settings. Listening for other machines requires authentication, or a flag that waives it. */
function readHttp(read: ReadArguments): HttpSettings | undefined {
  const { options } = read;
  const port = readPort('http', options.get('http')?.[0]);
  if (port === undefined) {
    if (options.has('json'))
      throw new UsageError('--json works only with --http. Without it, standard output carries MCP.');
    const misplaced = httpOnly.find((name) => options.has(name));
    if (misplaced !== undefined) throw new UsageError(`--${misplaced} works only with --http.`);
    return undefined;
  }
  const host = options.get('host')?.[0];
  if (host === '') throw new UsageError('--host needs an address, such as 0.0.0.0.');
  const publicUrl = readPublicUrl(options.get('public-url')?.[0]);
  const auth = readAuth(read, publicUrl);
  if (host !== undefined && !isLocal(host) && !auth && !options.has('insecure'))
    throw new UsageError(
      `--host ${host} lets other machines call. Add --auth-keys or --auth-issuer, or --insecure if everybody may call.`,
    );
  const more = readList(options.get('allowed-hosts')) ?? [];
  const names = [...(publicUrl ? [publicUrl.hostname] : []), ...more];
  return {
    port,
    host,
    // The host check protects a local server against web pages, and must allow local clients.
    allowedHosts: names.length === 0 ? undefined : ['localhost', '127.0.0.1', '[::1]', ...names],
    auth,
  };
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function readPublicUrl(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isSecure(url) || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new UsageError('--public-url must be an https address, or http on localhost, without a query.');
  return url;
}
