import { describe, expect, it } from 'vitest';
import type { Learner, SearchLearning, SearchLearningOptions } from '../../src/stores/search-learning.js';
import { readLearner } from '../../src/search/learn/learner.js';

/** Stores of several processes that share what they learn. */
export interface LearningNodes {
  create(options?: SearchLearningOptions): SearchLearning;
  /** Advances the time for all nodes. */
  advance(ms: number): Promise<void>;
  /** Everything that is stored, as text. */
  dump(): Promise<string>;
}

const all = (): boolean => true;
const of = (sub: string, more: object = {}): Learner =>
  readLearner({ auth: { extra: { iss: 'https://id.example', sub, ...more } } }, undefined);
const ofTenant = (tenant: string, sub: string): Learner => of(sub, { org_id: tenant });
const anonymous = (address: string): Learner => readLearner({ address }, undefined);

/** Searches that list a tool, each followed by a call of it. By default as many as one caller can count for. */
async function teach(
  learning: SearchLearning,
  learner: Learner,
  words: readonly string[],
  address: string,
  times = 4,
): Promise<void> {
  for (let time = 0; time < times; time++) {
    await learning.noteSearch(learner, [{ words, shown: [address] }]);
    await learning.noteCall(learner, address);
  }
}

const strengthOf = async (learning: SearchLearning, learner: Learner, words: string[], address: string) =>
  (await learning.recall(learner, words, all)).get(address) ?? 0;

/** The contract of a store for `search.learn`. */
export function describeSearchLearning(name: string, start: () => LearningNodes): void {
  describe(`search learning in ${name}`, () => {
    it('connects the words of a question with the tool that was called after it', async () => {
      const learning = start().create();
      const ada = of('ada');
      expect(await learning.recall(ada, ['money', 'back'], all)).toEqual(new Map());
      for (const strength of [0, 0, 2 / 4, 4 / 5]) {
        const shown = ['orders.list', 'orders.refund'];
        await learning.noteSearch(ada, [{ words: ['money', 'back'], shown }]);
        await learning.noteCall(ada, 'orders.refund');
        const recalled = await learning.recall(ada, ['money', 'back'], all);
        expect(recalled.get('orders.refund') ?? 0).toBeCloseTo(strength, 2);
        expect(recalled.has('orders.list')).toBe(false);
      }
      expect(await strengthOf(learning, ada, ['money', 'later'], 'orders.refund')).toBeCloseTo(2 / 5, 2);
      expect(await learning.recall(ada, ['later'], all)).toEqual(new Map());
    });

    it('learns from a search in one process and a call in another', async () => {
      const nodes = start();
      const [one, two, three] = [nodes.create(), nodes.create(), nodes.create()];
      for (let time = 0; time < 3; time++) {
        await one.noteSearch(of('ada'), [{ words: ['money'], shown: ['refund'] }]);
        await two.noteCall(of('ada'), 'refund');
      }
      expect(await strengthOf(three, of('ada'), ['money'], 'refund')).toBeGreaterThan(0);
    });

    it('credits a call to earlier searches that led to no call, with half the weight for each step back', async () => {
      const learning = start().create();
      const ada = of('ada');
      // Each call of the third question adds 1, 0.5 and 0.25.
      for (let time = 0; time < 4; time++) {
        await learning.noteSearch(ada, [{ words: ['first'], shown: ['a', 'b'] }]);
        await learning.noteSearch(ada, [{ words: ['second'], shown: [] }]);
        await learning.noteSearch(ada, [{ words: ['third'], shown: ['refund'] }]);
        await learning.noteCall(ada, 'refund');
      }
      expect((await learning.inspect()).links).toBe(3);
      expect(await strengthOf(learning, ada, ['third'], 'refund')).toBeCloseTo(2 / 5, 2);
      expect(await strengthOf(learning, ada, ['second'], 'refund')).toBe(0);
      for (let time = 0; time < 2; time++) {
        await learning.noteSearch(ada, [{ words: ['second'], shown: [] }]);
        await learning.noteSearch(ada, [{ words: ['other'], shown: ['refund'] }]);
        await learning.noteCall(ada, 'refund');
      }
      expect(await strengthOf(learning, ada, ['second'], 'refund')).toBeCloseTo(1 / 4, 2);
    });

    it('does not credit a call to a search that led to another call, nor to a later search', async () => {
      const learning = start().create();
      const ada = of('ada');
      await teach(learning, ada, ['invoice'], 'invoices.create', 1);
      await learning.noteSearch(ada, [{ words: ['money'], shown: ['refund'] }]);
      await learning.noteSearch(ada, [{ words: ['parcel'], shown: ['track'] }]);
      await learning.noteCall(ada, 'refund');
      expect((await learning.inspect()).tools).toMatchObject([
        { address: 'invoices.create', links: 1 },
        { address: 'refund', links: 1 },
      ]);
    });

    it('keeps the questions of one search apart', async () => {
      const learning = start().create();
      const ada = of('ada');
      for (let time = 0; time < 4; time++) {
        await learning.noteSearch(ada, [
          { words: ['money'], shown: ['refund'] },
          { words: ['parcel'], shown: ['track'] },
        ]);
        await learning.noteCall(ada, 'track');
        await learning.noteCall(ada, 'refund');
      }
      expect([...(await learning.recall(ada, ['money'], all)).keys()]).toEqual(['refund']);
      expect([...(await learning.recall(ada, ['parcel'], all)).keys()]).toEqual(['track']);
      expect((await learning.inspect()).links).toBe(2);
    });

    it('learns nothing from a tool that no search listed, nor from a call after ten minutes', async () => {
      const nodes = start();
      const learning = nodes.create();
      const ada = of('ada');
      await learning.noteCall(ada, 'refund');
      await learning.noteSearch(ada, [{ words: ['money'], shown: ['orders.list'] }]);
      await learning.noteCall(ada, 'refund');
      await learning.noteSearch(ada, [{ words: ['late'], shown: ['refund'] }]);
      await nodes.advance(10 * 60_000 + 1_000);
      await learning.noteCall(ada, 'refund');
      expect((await learning.inspect()).links).toBe(0);
    });

    it('counts repeated calls after one search once, and any number of searches of a caller like four', async () => {
      const learning = start().create({ minCallers: 4 });
      const ada = ofTenant('acme', 'ada');
      await learning.noteSearch(ada, [{ words: ['money'], shown: ['refund'] }]);
      for (let time = 0; time < 20; time++) await learning.noteCall(ada, 'refund');
      expect(await strengthOf(learning, ada, ['money'], 'refund')).toBe(0);
      const words = ['money', 'back', 'price', 'order', 'return'];
      await teach(learning, ada, words, 'refund', 50);
      expect(await strengthOf(learning, ada, ['money'], 'refund')).toBeCloseTo(2 / 5 / 4, 2);
      // With many words, one caller reaches a quarter of what four callers reach.
      for (let more = 0; more < 30; more++) words.push(`more${more}`);
      for (let from = 5; from < 35; from += 10)
        await teach(learning, ada, words.slice(from, from + 10), 'refund');
      expect(await strengthOf(learning, ada, words, 'refund')).toBeCloseTo(1 / 4, 2);
      for (const sub of ['ben', 'cas', 'dan'])
        await teach(learning, ofTenant('acme', sub), words.slice(0, 5), 'refund');
      expect(await strengthOf(learning, ada, words.slice(0, 5), 'refund')).toBe(1);
    });

    it('lets a caller that is its own tenant reach full strength, and a caller of a tenant a third by default', async () => {
      const learning = start().create();
      const words = ['money', 'back', 'price', 'order', 'return'];
      for (const learner of [of('ada'), ofTenant('acme', 'ada')])
        await teach(learning, learner, words, 'refund');
      expect(await strengthOf(learning, of('ada'), words, 'refund')).toBe(1);
      expect(await strengthOf(learning, ofTenant('acme', 'ada'), words, 'refund')).toBeCloseTo(1 / 3, 2);
    });

    it('keeps tenants apart while their callers take turns', async () => {
      const learning = start().create();
      const learners = [ofTenant('acme', 'ada'), ofTenant('globex', 'ada'), of('ada'), of('ben')];
      for (let time = 0; time < 4; time++) {
        const searches = learners.map((_, at) => [{ words: ['money'], shown: [`t${at}`] }]);
        await Promise.all(learners.map((learner, at) => learning.noteSearch(learner, searches[at] ?? [])));
        await Promise.all(learners.map((learner, at) => learning.noteCall(learner, `t${(at + 1) % 4}`)));
        expect((await learning.inspect()).links).toBe(time === 0 ? 0 : 4);
        await Promise.all(learners.map((learner, at) => learning.noteCall(learner, `t${at}`)));
      }
      for (const [at, learner] of learners.entries())
        expect([...(await learning.recall(learner, ['money'], all)).keys()]).toEqual([`t${at}`]);
      // Another caller of a tenant has the links of its tenant.
      const colleague = await learning.recall(ofTenant('acme', 'eve'), ['money'], all);
      expect([...colleague.keys()]).toEqual(['t0']);
    });

    it('keeps the conversations of one caller apart', async () => {
      const learning = start().create();
      const auth = { extra: { sub: 'ada' } };
      const [one, two] = ['s1', 's2'].map((sessionId) => readLearner({ auth, sessionId }, undefined));
      if (!one || !two) return expect.unreachable();
      await learning.noteSearch(one, [{ words: ['money'], shown: ['refund'] }]);
      await learning.noteCall(two, 'refund');
      expect((await learning.inspect()).links).toBe(0);
      await teach(learning, one, ['money'], 'refund');
      expect(await strengthOf(learning, two, ['money'], 'refund')).toBeGreaterThan(0);
      return undefined;
    });

    it('learns nothing from anonymous callers for a tenant, and counts them as one caller for shared links', async () => {
      const nodes = start();
      const perTenant = nodes.create();
      await teach(perTenant, anonymous('192.0.2.1'), ['money'], 'refund');
      expect(await perTenant.recall(anonymous('192.0.2.1'), ['money'], all)).toEqual(new Map());
      expect(await perTenant.inspect()).toEqual({ links: 0, tenants: [], tools: [] });
      const shared = nodes.create({ scope: 'shared', minCallers: 3 });
      for (let host = 1; host <= 30; host++) {
        // A call of one address is not credited to the search of another.
        await shared.noteSearch(anonymous(`192.0.2.${host}`), [{ words: ['parcel'], shown: ['track'] }]);
        await shared.noteCall(anonymous(`198.51.100.${host}`), 'track');
        await teach(shared, anonymous(`192.0.2.${host}`), ['money', 'back', 'price'], 'refund', 1);
      }
      const recalled = await shared.recall(of('ada'), ['money', 'back', 'price', 'parcel'], all);
      expect([...recalled]).toEqual([['refund', expect.closeTo(1 / 3, 2)]]);
    });

    it('uses a tenant that the operator names, also for anonymous callers', async () => {
      const learning = start().create();
      const acme = readLearner({ address: '192.0.2.1' }, 'acme');
      await teach(learning, acme, ['money'], 'refund');
      expect(await strengthOf(learning, readLearner({}, 'acme'), ['money'], 'refund')).toBeGreaterThan(0);
      expect(await learning.recall(readLearner({}, 'globex'), ['money'], all)).toEqual(new Map());
      expect((await learning.inspect({ tenant: 'acme' })).links).toBe(1);
      expect((await learning.inspect({ tenant: 'globex' })).links).toBe(0);
    });

    it('gives hidden tools no influence on the strengths of visible ones', async () => {
      const learning = start().create();
      const ada = of('ada');
      await teach(learning, ada, ['money'], 'refund');
      const before = await learning.recall(ada, ['money'], all);
      for (const hidden of ['h1', 'h2', 'h3', 'h4']) await teach(learning, ada, ['money'], hidden);
      expect(await learning.recall(ada, ['money'], (address) => !address.startsWith('h'))).toEqual(before);
    });

    it('lifts at most three tools, and a word counts less the more tools it is linked with', async () => {
      const learning = start().create();
      const ada = of('ada');
      for (const tool of ['a', 'b', 'c', 'd', 'e']) await teach(learning, ada, ['list', tool], tool);
      expect((await learning.recall(ada, ['list'], all)).size).toBe(3);
      expect(await strengthOf(learning, ada, ['list'], 'a')).toBeCloseTo(2 / 21, 2);
      expect(await strengthOf(learning, ada, ['a'], 'a')).toBeCloseTo(2 / 5, 2);
    });

    it('halves the credit of a call after the half-life, and forgets it in the end', async () => {
      const nodes = start();
      const learning = nodes.create({ halfLifeMs: 60_000, minCallers: 2 });
      const ada = of('ada');
      const cas = ofTenant('acme', 'cas');
      await teach(learning, ada, ['money'], 'refund');
      for (const sub of ['ada', 'ben']) await teach(learning, ofTenant('acme', sub), ['money'], 'refund');
      expect(await strengthOf(learning, cas, ['money'], 'refund')).toBeCloseTo((8 - 2) / (8 + 1), 1);
      await nodes.advance(60_000);
      expect(await strengthOf(learning, cas, ['money'], 'refund')).toBeCloseTo((4 - 2) / (4 + 1), 1);
      expect(await learning.recall(ada, ['money'], all)).toEqual(new Map());
      expect((await learning.inspect()).links).toBe(2);
      await nodes.advance(60_000 * 8);
      expect(await learning.recall(ada, ['money'], all)).toEqual(new Map());
      expect(await learning.inspect()).toEqual({ links: 0, tenants: [], tools: [] });
    });

    it('bounds the tools of a word, the words of a tenant and the tenants', async () => {
      const learning = start().create({ maxWords: 5, maxTenants: 3 });
      const ada = of('ada');
      for (let tool = 0; tool < 12; tool++) await teach(learning, ada, ['money'], `t${tool}`);
      expect((await learning.inspect()).links).toBe(8);
      for (let word = 0; word < 12; word++) await teach(learning, ada, [`w${word}`], 'refund');
      const [tenant] = (await learning.inspect()).tenants;
      expect(tenant).toMatchObject({ words: 5, links: 5 });
      expect(await learning.recall(ada, ['money'], all)).toEqual(new Map());
      expect(await strengthOf(learning, ada, ['w11'], 'refund')).toBeGreaterThan(0);
      for (const sub of ['ben', 'cas', 'dan']) await teach(learning, of(sub), ['money'], 'refund');
      expect((await learning.inspect()).tenants).toHaveLength(3);
      expect(await learning.recall(ada, ['w11'], all)).toEqual(new Map());
      expect(await strengthOf(learning, of('dan'), ['money'], 'refund')).toBeGreaterThan(0);
    });

    it('counts concurrent calls of several processes', async () => {
      const nodes = start();
      const learners = Array.from({ length: 4 }, (_, number) => ofTenant('acme', `user${number}`));
      const processes = learners.map(() => nodes.create({ minCallers: 4 }));
      await Promise.all(
        learners.map((learner, at) =>
          teach(processes[at] as SearchLearning, learner, ['money', 'back'], 'refund'),
        ),
      );
      const [first] = learners;
      const strength = await strengthOf(
        nodes.create({ minCallers: 4 }),
        first as Learner,
        ['money'],
        'refund',
      );
      expect(strength).toBeCloseTo(14 / 17, 2);
    });

    it('stores neither words nor callers nor tenants in clear text', async () => {
      const nodes = start();
      const perTenant = nodes.create();
      const shared = nodes.create({ scope: 'shared' });
      const names = ['wordmoney', 'wordback', 'subjectada', 'tenantacme', 'sessionone'];
      const [money = '', back = '', sub = '', tenant = '', sessionId = ''] = names;
      const auth = { extra: { iss: 'issuerone', sub, org_id: tenant } };
      const learner = readLearner({ auth, sessionId, address: '203.0.113.77' }, undefined);
      const named = readLearner({ auth }, 'namedtenant');
      for (const learning of [perTenant, shared]) {
        await teach(learning, learner, [money, back], 'refund');
        await teach(learning, named, [money, back], 'refund');
        await learning.noteSearch(learner, [{ words: [money], shown: ['refund'] }]);
      }
      const dump = await nodes.dump();
      expect(dump.length).toBeGreaterThan(100);
      for (const secret of [...names, 'issuerone', 'namedtenant', '203.0.113.77']) {
        expect(dump).not.toContain(secret);
        expect(dump).not.toContain(Buffer.from(secret).toString('base64url').slice(0, -2));
      }
    });

    it('lists the links of a tenant and of a tool, and erases them', async () => {
      const learning = start().create({ minCallers: 1 });
      const [ada, ben] = [ofTenant('acme', 'ada'), ofTenant('globex', 'ben')];
      await teach(learning, ada, ['money', 'back'], 'refund');
      await teach(learning, ada, ['parcel'], 'track');
      await teach(learning, ben, ['money'], 'refund');
      const whole = await learning.inspect();
      expect(whole.links).toBe(4);
      expect(whole.tenants.map(({ words, links }) => [words, links]).toSorted()).toEqual([
        [1, 1],
        [3, 3],
      ]);
      expect(whole.tools).toEqual([
        { address: 'refund', links: 3, strength: expect.closeTo(2 / 5, 2) as number },
        { address: 'track', links: 1, strength: expect.closeTo(2 / 5, 2) as number },
      ]);
      const caller = { auth: { extra: { iss: 'https://id.example', sub: 'x', org_id: 'acme' } } };
      const acme = await learning.inspect({ tenant: caller });
      expect(acme.links).toBe(3);
      const id = acme.tenants[0]?.tenant ?? '';
      expect(await learning.inspect({ tenant: id })).toEqual(acme);
      expect((await learning.inspect({ tenant: id, address: 'refund' })).tools).toMatchObject([{ links: 2 }]);
      await expect(learning.inspect({ tenant: { address: '192.0.2.1' } })).rejects.toThrow(
        'verified identity',
      );

      expect(await learning.erase({ tenant: caller, address: 'refund' })).toBe(2);
      expect(await learning.recall(ada, ['money', 'back'], all)).toEqual(new Map());
      expect(await strengthOf(learning, ada, ['parcel'], 'track')).toBeGreaterThan(0);
      expect(await strengthOf(learning, ben, ['money'], 'refund')).toBeGreaterThan(0);
      expect(await learning.erase({ address: 'refund' })).toBe(1);
      await teach(learning, ben, ['money'], 'refund');
      expect(await learning.erase({ tenant: id })).toBe(1);
      expect((await learning.inspect()).links).toBe(1);
      expect(await learning.erase()).toBe(1);
      expect(await learning.inspect()).toEqual({ links: 0, tenants: [], tools: [] });
    });

    it('erases the searches that wait for a call too', async () => {
      const nodes = start();
      const learning = nodes.create();
      const ada = of('ada');
      await learning.noteSearch(ada, [{ words: ['money'], shown: ['refund', 'track'] }]);
      await learning.erase({ address: 'refund' });
      await learning.noteCall(ada, 'refund');
      expect((await learning.inspect()).links).toBe(0);
      await learning.erase({ tenant: { auth: { extra: { iss: 'https://id.example', sub: 'ada' } } } });
      await learning.noteCall(ada, 'track');
      expect((await learning.inspect()).links).toBe(0);
    });

    it('erases notes that are being written', async () => {
      const learning = start().create();
      const notes = [
        learning.noteSearch(of('ada'), [{ words: ['money'], shown: ['refund'] }]),
        learning.noteCall(of('ada'), 'refund'),
      ];
      await learning.erase();
      await Promise.all(notes);
      expect((await learning.inspect()).links).toBe(0);
    });

    it('treats names such as __proto__ and very long questions as ordinary ones', async () => {
      const learning = start().create();
      const ada = of('__proto__');
      const words = ['__proto__', 'constructor', ...Array.from({ length: 500 }, (_, at) => `word${at}`)];
      await teach(learning, ada, words, '__proto__');
      const recalled = await learning.recall(ada, ['constructor'], all);
      expect([...recalled.keys()]).toEqual(['__proto__']);
      expect((await learning.inspect()).links).toBe(24);
    });
  });
}
