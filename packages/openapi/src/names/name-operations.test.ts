import { describe, expect, it } from 'vitest';
import { candidatesOf, chooseNames, groupOf } from './name-operations.js';
import type { NamedOperation } from './name-operations.js';

const operation = (
  method: string,
  path: string,
  operationId?: string,
  ...tags: string[]
): NamedOperation => ({
  method,
  path,
  operationId,
  tags,
});

const namesOf = (...operations: readonly NamedOperation[]): string[] => {
  const named = operations.map((each) => ({ ...each, ...candidatesOf(each, groupOf(each, 'tag')) }));
  return named.map((each) => {
    const peers = named.filter(({ group }) => group === each.group);
    return `${each.group}.${chooseNames(peers)[peers.indexOf(each)]}`;
  });
};

describe('the names of operations', () => {
  it.each([
    [operation('GET', '/repos', 'repos/list-for-org', 'repos'), 'repos.list_for_org'],
    [operation('GET', '/pet/findByStatus', 'findPetsByStatus', 'pet'), 'pet.find_by_status'],
    [operation('DELETE', '/pet/{id}', 'deletePet', 'pet'), 'pet.delete'],
    [operation('GET', '/users', 'UserController_findAll', 'users'), 'users.find_all'],
    [operation('GET', '/special-events', 'listSpecialEvents', 'Special events'), 'special_events.list'],
    [operation('GET', '/items/{item_id}', 'read_item_items__item_id__get', 'items'), 'items.read'],
    [operation('GET', '/tickets', 'tickets', 'tickets'), 'tickets.tickets'],
    [operation('POST', '/ips', 'assignIPsToIPv6Range', 'networking'), 'networking.assign_ips_to_ipv6_range'],
    [operation('GET', '/x', 'getHTTPStatus', 'x'), 'x.get_http_status'],
  ])('drop what the group says already: %#', (given, name) => {
    expect(namesOf(given)).toEqual([name]);
  });

  it.each([
    [operation('GET', '/api/v1/users'), 'users.get'],
    [operation('GET', '/api/v1/users/{id}'), 'users.get_by_id'],
    [operation('POST', '/users/{id}/repos/{repo}'), 'users.post_repos_by_id_repo'],
    [operation('GET', '/'), 'api.get'],
    [operation('GET', '/{id}'), 'api.get_by_id'],
  ])('come from method and path without an operationId: %#', (given, name) => {
    expect(namesOf(given)).toEqual([name]);
  });

  it('are the full ones for operations that share a short name', () => {
    expect(
      namesOf(
        operation('GET', '/users', 'getUsers', 'users'),
        operation('GET', '/users/{id}', 'getUser', 'users'),
        operation('GET', '/users/me', 'getMe', 'users'),
      ),
    ).toEqual(['users.get_users', 'users.get_user', 'users.get_me']);
  });

  it('end with a hash of method and path if even the full ones are equal', () => {
    const [first, second] = namesOf(
      operation('GET', '/a', 'run', 'jobs'),
      operation('POST', '/a', 'run', 'jobs'),
    );
    expect(first).toMatch(/^jobs\.run_[0-9a-f]{8}$/);
    expect(second).toMatch(/^jobs\.run_[0-9a-f]{8}$/);
    expect(first).not.toBe(second);
  });

  it('have at most 64 characters together with the group', () => {
    const long = 'averyveryLong'.repeat(20);
    const names = namesOf(operation('GET', `/${long}`, long, long), operation('PUT', `/${long}`, long, long));
    for (const name of names) expect(name.length).toBeLessThanOrEqual(64);
    expect(new Set(names).size).toBe(2);
  });

  it('are made of letters, digits and underscores, whatever the specification writes', () => {
    for (const [name] of ['Größe ändern', '東京', '..//', '__proto__', "user's"].map((text) =>
      namesOf(operation('GET', '/x', text, text)),
    ))
      expect(name).toMatch(/^[a-z0-9_]+\.[a-z0-9_]+$/);
  });
});
