import { describe, expect, it } from 'vitest';
import { createToolSearch, type ToolSearchDocument } from './tool-search.js';
import { readOperations } from './verbs.js';

const find = (documents: readonly ToolSearchDocument[], query: string): string[] =>
  createToolSearch(documents)
    .search(query)
    .map(({ address }) => address);

const READ = readOperations(['show']);
const SEARCH = readOperations(['find']);
const REMOVE = readOperations(['delete']);

describe('the operations of a query', () => {
  const read = (query: string): number => readOperations(query.split(/[^\w']+/));

  it('come from verbs at the start and after words such as "to" and "and"', () => {
    expect(read('delete the branch')).toBe(REMOVE);
    expect(read('Please remove it')).toBe(REMOVE);
    expect(read('Could you show me the branch')).toBe(READ);
    expect(read('I would like to delete a branch')).toBe(REMOVE);
    expect(read('show the branch and delete it')).toBe(READ | REMOVE);
    expect(read('the branch that I want to delete')).toBe(REMOVE);
  });

  it('are to read for a question without such a verb', () => {
    expect(read('which branches did we remove')).toBe(READ | SEARCH);
    expect(read('How much was spent in a month')).toBe(READ | SEARCH);
    expect(read('how do I delete a branch')).toBe(REMOVE);
    expect(read('is there a way to delete a branch')).toBe(REMOVE);
  });

  it('are unknown for other texts', () => {
    for (const text of ['', 'branches', 'constructor', '__proto__', 'ブランチ', 'lösche den Zweig'])
      expect(read(text), text).toBe(0);
  });
});

describe('the verb of a query', () => {
  it('prefers tools with the same operation, by name and by description', () => {
    const named = [
      'get_order',
      'create_order',
      'update_order',
      'delete_order',
      'send_order',
      'search_orders',
    ];
    const tools = named.map((name) => ({ address: name, name, description: 'Order of a customer.' }));
    for (const [query, name] of [
      ['erase the order', 'delete_order'],
      ['modify the order', 'update_order'],
      ['I want to insert an order', 'create_order'],
      ['what was in the order', 'get_order'],
      ['please locate the order', 'search_orders'],
    ] as const)
      expect(find(tools, query)[0], query).toBe(name);
  });

  it('prefers tools with the same operation if its verb is no synonym', () => {
    const named = ['add_order', 'get_order', 'run_order', 'send_order', 'update_order'];
    const tools = named.map((name) => ({ address: name, name, description: 'Order of a customer.' }));
    for (const [query, name] of [
      ['announce the order', 'send_order'],
      ['retry the order', 'run_order'],
      ['patch the order', 'update_order'],
    ] as const)
      expect(find(tools, query)[0], query).toBe(name);
  });

  it('puts tools with opposed effects behind tools without a known verb', () => {
    const tools = ['archive_order', 'shelf_order'].map((name) => ({ address: name, name }));
    expect(find(tools, 'show the order')).toEqual(['shelf_order', 'archive_order']);
    expect(find(tools, 'order')[0]).toBe('archive_order');
  });

  it('does not hide tools with another operation', () => {
    const tools = [
      { address: 'a', name: 'delete_order', description: 'Deletes an order.' },
      { address: 'b', name: 'get_invoice', description: 'Shows an invoice.' },
    ];
    expect(find(tools, 'show the order')).toContain('a');
  });

  it('does not outweigh the things that a query names', () => {
    const tools = [
      { address: 'a', name: 'update_order', description: 'Updates an order.' },
      { address: 'b', name: 'delete_invoice', description: 'Deletes an invoice.' },
    ];
    expect(find(tools, 'erase the order')[0]).toBe('a');
  });
});

describe('the risk of a tool', () => {
  const tools = (['destructive', 'write', 'read'] as const).map((risk, at) => ({
    address: `${at}`,
    name: `branch${at}`,
    description: 'Branches of a repository.',
    risk,
  }));

  it('puts the less risky tool first if the scores are equal', () => {
    expect(find(tools, 'branches of the repository')).toEqual(['2', '1', '0']);
    expect(find(tools, 'show the branches')).toEqual(['2', '1', '0']);
  });

  it('puts the less risky tool first if the query is the name of both', () => {
    const named = tools.map((tool) => ({ ...tool, name: 'branch' }));
    expect(find(named, 'branch')).toEqual(['2', '1', '0']);
  });

  it('puts the less risky tool first if the other one matches only slightly better', () => {
    const describe = (words: number): string =>
      `Branches of a repository. ${Array.from({ length: words }, (_, at) => `word${at}`).join(' ')}`;
    const order = (words: number, risk: 'read' | 'destructive'): string[] =>
      find(
        [
          { address: 'short', name: 'branchx', description: describe(40), risk },
          { address: 'long', name: 'branchy', description: describe(words), risk: 'read' },
          { address: 'other', name: 'other', description: 'Something else.' },
        ],
        'branches of the repository',
      ).slice(0, 2);
    expect(order(41, 'read')).toEqual(['short', 'long']);
    expect(order(41, 'destructive')).toEqual(['long', 'short']);
    expect(order(60, 'destructive')).toEqual(['short', 'long']);
  });

  it('does not count if the query asks for such an operation', () => {
    expect(find(tools, 'delete the branches of the repository').slice(0, 2)).toEqual(['0', '1']);
    expect(find(tools, 'rename the branches of the repository')[0]).toBe('1');
  });
});

describe('a list of operations at the start of a query', () => {
  const tools: ToolSearchDocument[] = [
    {
      address: 'budgets/delete',
      name: 'delete',
      description: 'Deletes a budget and its payments.',
      toolset: 'Create budgets.',
    },
    { address: 'payments/delete', name: 'delete', description: 'Deletes a payment.', toolset: 'Payments.' },
    { address: 'payments/update', name: 'update', description: 'Updates a payment.', toolset: 'Payments.' },
    { address: 'payments/add', name: 'add', description: 'Adds a payment.', toolset: 'Payments.' },
    { address: 'goals/list', name: 'list', description: 'Lists goals.', toolset: 'Goals.' },
  ];

  it('counts one operation of a tool, so that the thing they change decides', () => {
    for (const query of [
      'create, update, delete a payment',
      'create and delete payments',
      'Create/update/delete payment',
    ])
      expect(find(tools, query)[0], query).toMatch(/^payments/);
    expect(find(tools, 'create a payment and delete a budget')[0]).toBe('budgets/delete');
  });

  it('is explained word by word', () => {
    const { words, tools: explained } = createToolSearch(tools).explain('update, delete a payment');
    expect(words.map(({ stems }) => stems)).toEqual([
      ['updat', 'delet'],
      ['updat', 'delet'],
      [],
      ['payment'],
    ]);
    expect(explained[0]?.matches.every(({ how }) => how === 'same')).toBe(true);
  });
});
