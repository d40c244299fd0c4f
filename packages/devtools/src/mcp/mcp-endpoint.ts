import type { IncomingMessage, ServerResponse } from 'node:http';
import { forms, isToolfoldError, openLoaded } from '@toolfold/analysis/internal';
import type { LoadedModule } from '@toolfold/analysis/internal';
import { toNodeListener } from 'toolfold/node';
import { profileNames } from '@toolfold/profiles';
import { internalsOf, toLine } from 'toolfold/internal';
import { createHandler } from 'toolfold/web';
import type { Authenticator, McpHandler, OfferedView } from 'toolfold/web';
import { withoutBrokenToolsets } from '../api/loadable-toolsets.js';
import { withoutExposure } from '../api/snapshot.js';
import { ApiFailure } from '../http/answers.js';
import { refusalOf } from '../offered-choices.js';
import type { Form, ShownProfile } from '../page-api.js';
import type { PageSource } from '../page-source.js';
import { overrideMembers } from './override-members.js';
import { CALLER_HEADER, readPageCaller } from './page-caller.js';
import { withoutCalls } from './without-calls.js';

interface McpEndpoint {
  /** Handles `/mcp/FORM/PROFILE`. Rejects with an `ApiFailure` if the server has no such form or profile. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  close(): Promise<void>;
}

interface McpEndpointOptions {
  /** Called with unexpected errors of the endpoint itself. */
  readonly onError: (error: unknown) => void;
  /** Called with errors of the author's code. Default: they go to standard error, one line each, without credentials. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

const SERVER = 'server';
const formNames: readonly string[] = [SERVER, ...forms];
const profiles: readonly string[] = [SERVER, 'none', ...profileNames];
/** Maximum number of open handlers. The least recently used one is closed first, which ends its sessions. */
const MAX_HANDLERS = 16;
/** Large, because the page sends files as arguments. */
const MAX_BODY = 32 * 1024 * 1024;

type Listener = ReturnType<typeof toNodeListener>;

/** Serves the source in every form and profile through the regular HTTP handler. */
export function createMcpEndpoint(source: PageSource, { onError, onFault }: McpEndpointOptions): McpEndpoint {
  const handlers = new Map<string, { readonly handler: McpHandler; readonly listen: Listener }>();
  let served: LoadedModule | undefined;
  let scopes: Promise<readonly string[]> | undefined;
  let isClosed = false;

  const closeAll = async (): Promise<void> => {
    const open = [...handlers.values()];
    handlers.clear();
    scopes = undefined;
    await Promise.all(open.map(({ handler }) => handler.close()));
  };
  const auth: Authenticator = {
    headers: [CALLER_HEADER],
    authenticate: async (header) => {
      scopes ??= allScopes(source);
      const read = readPageCaller(header(CALLER_HEADER), await scopes);
      return 'auth' in read ? read : { rejection: { status: 400, message: read.mistake } };
    },
  };
  const open = (form: string, profile: string): Listener => {
    const loaded = source.current();
    // `toolfold dev` creates a new module for each version, even with the same registry.
    if (served !== loaded) closeAll().catch(onError);
    served = loaded;
    const key = `${form}/${profile}`;
    const known = handlers.get(key);
    handlers.delete(key);
    const { handler, listen } = known ?? create(loaded, form, profile);
    handlers.set(key, { handler, listen });
    for (const [oldest, entry] of handlers) {
      if (handlers.size <= MAX_HANDLERS) break;
      handlers.delete(oldest);
      entry.handler.close().catch(onError);
    }
    return listen;
  };
  const create = (loaded: LoadedModule, form: string, profile: string) => {
    const registry = source.canCall ? loaded.registry : withoutCalls(loaded.registry);
    const handler = createHandler(registry, {
      auth,
      requestLimit: false,
      callerShare: 1,
      maxBodyBytes: MAX_BODY,
      ...(onFault ? { onError: onFault } : {}),
      ...offerOf(loaded, form, profile),
    });
    return { handler, listen: toNodeListener(handler) };
  };
  const forgetScopes = source.onChange(() => {
    scopes = undefined;
  });

  return {
    handle: async (request, response, url) => {
      const [form, profile] = readPath(url);
      if (isClosed) throw new ApiFailure('The page is closing.', { status: 503 });
      let listen: Listener;
      try {
        listen = open(form, profile);
      } catch (error) {
        // Names that are unique in one form may collide in another.
        if (!isToolfoldError(error)) throw error;
        throw new ApiFailure(error.message, { status: 409 });
      }
      listen(request, response);
    },
    close: async () => {
      isClosed = true;
      forgetScopes();
      await closeAll();
    },
  };
}

function readPath({ pathname }: URL): readonly [form: string, profile: string] {
  const [, form = '', profile = '', ...rest] = pathname.replace(/^\/mcp(?=\/)/, '').split('/');
  if (rest.length > 0)
    throw new ApiFailure('There is no such path. Write /mcp/FORM/PROFILE.', { status: 404 });
  for (const [kind, name, known] of [
    ['form', form, formNames],
    ['profile', profile, profiles],
  ] as const) {
    if (!known.includes(name))
      throw new ApiFailure(`There is no ${kind} "${toLine(name, 50)}".`, {
        status: 404,
        hint: `Write one of: ${known.join(', ')}.`,
      });
  }
  return [form, profile];
}

/** Returns the options for a form and profile. An Exposure sets both itself, but its tools can also be called as written. */
function offerOf(given: LoadedModule, form: string, profile: string) {
  const refusal = refusalOf(given, {
    form: form === SERVER ? undefined : (form as Form),
    profile: profile === SERVER ? undefined : (profile as ShownProfile),
  });
  if (refusal !== undefined) throw new ApiFailure(refusal, { status: 409 });
  const { exposure } = given;
  const isOwn = (name: string, own: string | undefined): boolean => name === SERVER || name === own;
  const { first, isFixed } = exposure?.offers ?? {};
  const isAsServed =
    (form === SERVER && profile === SERVER) ||
    (isFixed === true && isOwn(form, first?.form) && isOwn(profile, first?.profile));
  // Do not close the exposure: it belongs to the server, which outlives the page.
  if (exposure && isAsServed) return { exposure: overrideMembers(exposure, { close: () => {} }) };
  const loaded = withoutExposure(given);
  if (loaded.exposure)
    throw new ApiFailure('The Exposure of the file was created by another version of Toolfold.', {
      status: 409,
      hint: 'Install one version of toolfold.',
    });
  const { toolsets, config = toolsets?.config, scopes = 'challenge' } = loaded;
  const view: OfferedView = loaded.view ?? toolsets?.policy ?? {};
  const { code, ...others } = view;
  const offered = form === SERVER ? view.form : (form as OfferedView['form']);
  const isCode = offered === 'code' || offered === 'auto';
  return {
    view: {
      ...others,
      form: offered,
      profile: profile === SERVER ? view.profile : (profile as OfferedView['profile']),
      ...(isCode && code ? { code } : {}),
    },
    ...(config ? { toolsets: config } : {}),
    scopes,
  };
}

/** Collects the scopes of all actions, including those in toolsets. */
async function allScopes(source: PageSource): Promise<readonly string[]> {
  const loaded = source.current();
  const { exposure, toolsets, config, registry } = loaded;
  const own = internalsOf(registry).tools.scopes;
  if (!(exposure ?? toolsets ?? config)) return own;
  try {
    // Skip toolsets that fail to load: they need no scopes, and must not delay calls of other tools.
    const { served, selection } = await withoutBrokenToolsets(withoutExposure(loaded), source.loadingMs);
    const opened = await openLoaded(source.target, served, selection);
    opened.close();
    const listed = opened.tools.flatMap((tool) => [tool, ...tool.actions]);
    return [...new Set([...own, ...listed.flatMap(({ scopes }) => scopes)])];
  } catch {
    return own;
  }
}
