import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildToolSearch, createToolSearch, type ToolSearchDocument } from './tool-search.js';
import { readTokens, stopWords } from './words.js';

const tools: ToolSearchDocument[] = [
  { address: 'zh.book', name: 'a1', description: '预订会议室，并通知参会人。' },
  { address: 'zh.refund', name: 'a2', description: '为客户办理订单退款。' },
  { address: 'ja.book', name: 'a3', description: '会議室を予約します。' },
  { address: 'ja.refund', name: 'a4', description: '注文の代金を返金します。' },
  { address: 'ko.book', name: 'a5', description: '회의실을 예약하고 참석자에게 알립니다.' },
  { address: 'ko.refund', name: 'a6', description: '주문 금액을 환불합니다.' },
  { address: 'th.book', name: 'a7', description: 'จองห้องประชุมและแจ้งผู้เข้าร่วม' },
  { address: 'th.refund', name: 'a8', description: 'คืนเงินค่าสินค้าให้ลูกค้า' },
  { address: 'ru.book', name: 'a9', description: 'Бронирует переговорную комнату.' },
  { address: 'hi.book', name: 'a10', description: 'बैठक कक्ष आरक्षित करता है' },
  { address: 'en.pulls', name: 'listPullRequests', description: 'Lists pull requests of a repository.' },
  { address: 'en.token', name: 'refreshOAuth2Token', description: 'Refreshes a credential.' },
];
const search = createToolSearch(tools);
const first = (query: string): string | undefined => search.search(query)[0]?.address;

describe('a query in another script', () => {
  it.each([
    ['帮我订一个会议室', 'zh.book'],
    ['这个订单我想退款', 'zh.refund'],
    ['会議室を予約したいです', 'ja.book'],
    ['お金を返金してください', 'ja.refund'],
    ['회의실 예약해 줘', 'ko.book'],
    ['주문을 환불하고 싶어요', 'ko.refund'],
    ['ช่วยจองห้องหน่อย', 'th.book'],
    ['ขอคืนเงินได้ไหม', 'th.refund'],
    ['ЗАБРОНИРОВАТЬ КОМНАТУ', 'ru.book'],
    ['बैठक', 'hi.book'],
  ])('finds the tool: %s', (query, address) => {
    expect(first(query)).toBe(address);
  });

  it('finds words of another width, case or accent', () => {
    const cafes = createToolSearch([
      { address: 'cafe', name: 'find_cafés', description: 'Straße, ガイド' },
      { address: 'other', name: 'find_parks', description: 'Weg' },
    ]);
    for (const query of ['CAFES', 'cafe\u0301s', 'ｃａｆｅ', 'STRASSE', 'ｶﾞｲﾄﾞ', 'ca\u00ADfé']) {
      expect(
        cafes.search(query).map(({ address }) => address),
        query,
      ).toEqual(['cafe']);
    }
  });
});

describe('text in another language of Latin letters', () => {
  const foreign = createToolSearch([
    { address: 'fr.month', name: 'a1', description: 'Affiche le total de chaque mois pour un client.' },
    { address: 'fr.me', name: 'a2', description: 'Donne les informations sur moi et mon compte.' },
    { address: 'de.invoice', name: 'a3', description: 'Erstellt eine Rechnung für den Benutzer.' },
    { address: 'es.users', name: 'a4', description: 'Borra los usuarios que no tienen una dirección.' },
    { address: 'en.pay', name: 'a5', description: 'Pays an invoice of the user.' },
  ]);
  const found = (query: string): string[] => foreign.search(query).map(({ address }) => address);

  it('is not stemmed as English, so that its words stay different', () => {
    expect(found('mois')).toEqual(['fr.month']);
    expect(found('moi')).toEqual(['fr.me']);
    expect(found('pays')).toEqual(['en.pay']);
  });

  it('finds a short word whose English stem no tool has', () => {
    const month = createToolSearch([
      { address: 'month', name: 'a1', description: 'Affiche le total des mois.' },
      { address: 'en', name: 'a2', description: 'Shows the total.' },
    ]);
    expect(month.search('mois').map(({ address }) => address)).toEqual(['month']);
  });

  it.each([
    ['Rechnungen', 'de.invoice'],
    ['Rechnung erstellen', 'de.invoice'],
    ['BENUTZER', 'de.invoice'],
    ['rechnungsbenutzer', 'de.invoice'],
    ['usuario', 'es.users'],
    ['direcciones de usuarios', 'es.users'],
    ['paying invoices', 'en.pay'],
  ])('matches with other endings: %s', (query, address) => {
    expect(found(query)[0]).toBe(address);
  });
});

describe('a stop word', () => {
  it('of Japanese is a single hiragana', () => {
    expect(search.search('をの')).toEqual([]);
  });

  it('counts in a tag of stop words only', () => {
    const tagged = createToolSearch([
      { address: 'a', name: 'a1', tags: ['DoIt'] },
      { address: 'b', name: 'b1' },
    ]);
    expect(tagged.search('doIt').map(({ address }) => address)).toEqual(['a']);
  });
});

describe('an identifier in a query', () => {
  it.each([
    'pull_request',
    'pullRequest',
    'pull-request',
    'PullRequests',
    'pull.request',
    'pull request',
    'pullrequest',
  ])('finds the words of a name: %s', (query) => {
    expect(first(query)).toBe('en.pulls');
  });

  it('finds two words that a document writes as one', () => {
    const hooks = createToolSearch([
      { address: 'hooks', name: 'createWebhook' },
      { address: 'fish', name: 'fish', description: 'Puts a hook into the water. A spider has a web.' },
    ]);
    expect(hooks.search('web hook').map(({ address }) => address)).toContain('hooks');
    expect(hooks.search('webhooks').map(({ address }) => address)).toContain('hooks');
  });

  it('prefers the document that writes two words as one to documents that have both apart', () => {
    const hooks = createToolSearch([
      { address: 'hooks', name: 'createWebhook' },
      ...Array.from({ length: 10 }, (_, at) => ({
        address: `fish${at}`,
        name: `fish${at}`,
        description: 'A web and a hook.',
      })),
    ]);
    expect(hooks.search('web hook')[0]?.address).toBe('hooks');
  });

  it.each(['OAuth', 'oauth2', 'OAuth 2', 'auth', 'refresh_oauth2_token'])(
    'finds a name with a digit: %s',
    (query) => {
      expect(first(query)).toBe('en.token');
    },
  );
});

describe('any word of a document', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom(..."会议室を予約してくださいます회의실จองaBcXéß2 _'’й\u200B"),
      maxLength: 30,
    }),
    fc.lorem({ maxCount: 6 }),
  );

  it('finds that document if it is asked alone, unless it is a stop word', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.boolean(), (texts, isTag) => {
        const documents = texts.map((each, at) => ({
          address: `${at}`,
          name: 'x',
          ...(isTag ? { tags: [each] } : { description: each }),
        }));
        const some = createToolSearch(documents);
        texts.forEach((each, at) => {
          for (const word of readTokens(each)) {
            if (stopWords.has(word.toLowerCase()) || stopWords.has(word.replace(/['’].*/, '').toLowerCase()))
              continue;
            const found = some.search(word, { limit: Infinity }).map(({ address }) => address);
            expect(found, JSON.stringify(word)).toContain(`${at}`);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('finds the tool whose whole name it is, even if it is a stop word', () => {
    const named = ['now', 'who', 'の', 'AND', '会', 'doIt'].map((name) => ({
      address: `tool.${name}`,
      name,
    }));
    const some = createToolSearch([
      ...named,
      { address: 'other', name: 'other', description: 'now and who' },
    ]);
    for (const { name, address } of named) expect(some.search(name)[0]?.address).toBe(address);
  });
});

describe('a document with many long texts', () => {
  it('is read in at least one step for each text', () => {
    const long = '查询会议室的空闲情况'.repeat(800);
    const steps = buildToolSearch([
      {
        address: 'a',
        name: 'a',
        description: long,
        arguments: Array.from({ length: 20 }, (_, at) => ({ name: `b${at}`, description: `${at} ${long}` })),
        keywords: Array.from({ length: 20 }, (_, at) => `${at} ${long}`),
      },
    ]);
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).toBeGreaterThan(40);
  });
});
