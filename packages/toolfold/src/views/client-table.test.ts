import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { profileNames } from '@toolfold/profiles';
import { assertClients, defaultClients, findClient } from './client-table.js';

const find = (name: unknown, version: unknown = '1') =>
  findClient(defaultClients, { name, version } as { name: string; version: string });

describe('the table of clients', () => {
  it.each([
    ['claude-code', '2.1.7', 'anthropic', 'flat'],
    ['claude-code', '2.1.10', 'anthropic', 'flat'],
    ['claude-code', '2.1.6', 'anthropic', undefined],
    ['claude-code', 'dev', 'anthropic', undefined],
    ['claude-ai (via mcp-remote 0.1.37)', '0.1.0', 'anthropic', undefined],
    ['codex-mcp-client', '0.144.0', 'codex', 'flat'],
    ['cursor-vscode', '1.0.0', 'cursor', undefined],
    ['Visual Studio Code - Insiders', '1.108.1', 'vscode', undefined],
    ['Visual-Studio-Code', '1.108.1', 'vscode', undefined],
    ['gemini-cli-mcp-client-github', '0.0.1', 'gemini', undefined],
    ['Q-DEV-CLI', '1', 'bedrock', undefined],
    ['some-agent', '1', 'standard', undefined],
    ['', '', 'standard', undefined],
  ])('gives %j %s the profile %s and the form %s', (name, version, profile, form) => {
    const row = find(name, version);
    expect([row.profile, row.form]).toEqual([profile, form]);
  });

  it('gives a client without a name, or with one of a wrong type, the last row', () => {
    const last = defaultClients.at(-1);
    expect(findClient(defaultClients, undefined)).toBe(last);
    for (const name of [undefined, null, 5, {}, ['cursor']]) expect(find(name)).toBe(last);
    expect(find('claude-code', { toString: () => '9' }).form).toBeUndefined();
  });

  it('has a source and a date in every row, and names only profiles that exist', () => {
    for (const { source, date, profile } of defaultClients) {
      expect(source).not.toBe('');
      expect(date).toMatch(/^20\d\d-\d\d$/);
      expect(profileNames).toContain(profile);
    }
    expect(defaultClients.at(-1)?.name).toBe('*');
    expect(Object.isFrozen(defaultClients) && defaultClients.every(Object.isFrozen)).toBe(true);
  });

  it('compares names in linear time, whatever a client reports', () => {
    expect(find('claude-code'.repeat(1_000_000)).profile).toBe('anthropic');
    expect(find('claude-code', '1.'.repeat(1_000_000)).form).toBeUndefined();
  });
});

describe('rows of an operator', () => {
  it.each([
    [{ profile: 'gemini' }, 'clients[0]: name'],
    [{ name: 'a' }, 'clients[0]: profile'],
    [{ name: 'a', profile: 'gemni' }, 'clients[0]: profile'],
    [{ name: 'a', profile: 'gemini', since: 'v2' }, 'clients[0]: since'],
    [{ name: 'a', profile: 'gemini', maxTools: 0 }, 'clients[0]: maxTools'],
    [{ name: 'a', profile: 'gemini', cap: 5 }, 'has no option "cap"'],
    ['cursor', 'must be an object'],
  ])('are checked: %j', (row, message) => {
    const check = (): void => assertClients([row as never]);
    expect(check).toThrow(ErrInvalidOptions);
    expect(check).toThrow(message);
  });
});
