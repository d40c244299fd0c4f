import { describe, expect, it } from 'vitest';
import { ErrInsufficientScope } from '@toolfold/schema/errors';
import { error } from '../../protocol/tool-result.js';
import { ToolRegistry } from '../../registry/tool-registry.js';
import { rejectScopes, scopeChallenge } from './challenge.js';

const resourceMetadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const auth = { token: 't', clientId: 'app', scopes: ['read'], resourceMetadataUrl };
const challenge = (scope: string) => ({
  status: 403,
  message: `This needs the scope ${scope}.`,
  headers: {
    'www-authenticate': `Bearer error="insufficient_scope", error_description="This needs the scope ${scope}.", scope="${scope}", resource_metadata="${resourceMetadataUrl}"`,
  },
});
const tool = (more: object) => ({
  name: 'ban',
  description: 'Bans',
  inputSchema: {},
  handler: () => 1,
  ...more,
});
const call = (registry: ToolRegistry, as: object = auth) =>
  registry.executeTool({ name: 'ban', caller: { auth: { ...as } } });

describe('a call that lacks a scope', () => {
  it('is challenged for all required scopes', async () => {
    const registry = new ToolRegistry().register(tool({ scopes: ['users:write', 'read'] }));
    expect(scopeChallenge(await call(registry), auth)).toEqual(challenge('users:write read'));
    const granted = await call(registry, { ...auth, scopes: ['users:write', 'read'] });
    expect(scopeChallenge(granted, auth)).toBeUndefined();
  });

  it('is not challenged if no authorization server can grant the scope', async () => {
    const registry = new ToolRegistry().register(tool({ scopes: ['users:write'] }));
    const { resourceMetadataUrl: _, ...key } = auth;
    expect(scopeChallenge(await call(registry), key)).toBeUndefined();
    expect(scopeChallenge(await call(registry), undefined)).toBeUndefined();
    const unspeakable = new ToolRegistry().register(tool({ scopes: ['two words', 'quo"te\r\nx: y'] }));
    expect(scopeChallenge(await call(unspeakable), auth)).toBeUndefined();
  });

  it('may detect that in its handler', async () => {
    const registry = new ToolRegistry().register(
      tool({
        handler: () => {
          throw new ErrInsufficientScope('Needs more.', { details: { required: ['org:acme'] } });
        },
      }),
    );
    expect(scopeChallenge(await call(registry), auth)).toEqual(challenge('org:acme'));
  });

  it('is distinguished from a result that another server returned', async () => {
    const theirs = await call(new ToolRegistry().register(tool({ scopes: ['theirs'] })));
    const passedOn = JSON.parse(JSON.stringify(theirs)) as object;
    const result = await call(new ToolRegistry().register(tool({ handler: () => passedOn })));
    expect(result._meta?.['toolfold/error']).toMatchObject({ code: 'ErrInsufficientScope' });
    expect(scopeChallenge(result, auth)).toBeUndefined();
  });

  it('is distinguished from other errors, even if an error handler returns one result for all', async () => {
    const same = error('no');
    const errorHandler = { handleError: () => same, createValidationError: () => same };
    const registry = new ToolRegistry({ errorHandler }).register(tool({ scopes: ['users:write'] }));
    expect(scopeChallenge(await call(registry), auth)).toEqual(challenge('users:write'));
    const unknown = await registry.executeTool({ name: 'nobody', caller: { auth } });
    expect(unknown).toEqual(same);
    expect(scopeChallenge(unknown, auth)).toBeUndefined();
  });

  it('is still challenged behind middleware', async () => {
    const registry = new ToolRegistry().register(tool({ scopes: ['users:write'] }));
    registry.use((_request, next) => next());
    expect(scopeChallenge(await call(registry), auth)).toEqual(challenge('users:write'));
  });
});

it('writes no characters into a header that could end it', () => {
  const { headers } = rejectScopes(['a'], 'https://x.example/"\r\nset-cookie: a=b\\');
  expect(headers?.['www-authenticate']).toMatch(/^[\x20-\x7e]+$/);
  expect(headers?.['www-authenticate']).toContain(
    `resource_metadata="https://x.example/'??set-cookie: a=b'"`,
  );
});
