import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateResult, estimateText } from './estimate-result.js';

const rows = Array.from({ length: 200 }, (_, index) => ({
  id: `txn_${(index * 7_919).toString(36)}`,
  date: `2026-0${1 + (index % 9)}-1${index % 9}`,
  amount: (index * 13.37).toFixed(2),
  payee: ['Corner Store', 'Rent', 'Power Company', 'Salary'][index % 4],
  isCleared: index % 2 === 0,
  note: null,
}));

const texts = {
  'a guide': readFileSync('docs/guides/page.md', 'utf8'),
  code: readFileSync('packages/toolfold/src/engine/pipeline.ts', 'utf8'),
  'rows as JSON': JSON.stringify(rows),
  'indented JSON': JSON.stringify(rows.slice(0, 50), undefined, 2),
  'rows as lines': rows.map((row) => Object.values(row).join(',')).join('\n'),
  German: 'Die Rechnung wurde am Montag bezahlt, und der Kunde erhielt eine Bestätigung per Brief. '.repeat(
    9,
  ),
  Russian: 'Счёт был оплачен в понедельник, и клиент получил подтверждение письмом. '.repeat(9),
  Japanese: '請求書は月曜日に支払われ、顧客には手紙で確認が送られました。'.repeat(9),
};

describe('the estimated tokens of a result', () => {
  it.each(Object.entries(texts))('are at most a quarter away from those of o200k for %s', (_name, text) => {
    const ratio = estimateText(text) / countTokens(text);
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.25);
  });

  it('are those of its texts, or of its structured content if it has no text', () => {
    const text = JSON.stringify(rows.slice(0, 20));
    const content = [{ type: 'text' as const, text }];
    const structuredContent = { rows: rows.slice(0, 20) };
    expect(estimateResult({ content, structuredContent })).toBe(estimateText(text));
    const ratio = estimateResult({ content: [], structuredContent }) / countTokens(text);
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.25);
  });

  it('take the first rows of a long list as a sample', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => rows[index % 4]);
    const ratio =
      estimateResult({ content: [], structuredContent: { rows: many } }) / countTokens(JSON.stringify(many));
    expect(ratio).toBeGreaterThan(0.75);
    expect(ratio).toBeLessThan(1.25);
  });

  it('are 0 for content that no server may send', () => {
    for (const content of [[null], 'text', { length: 2 }])
      expect(estimateResult({ content } as never)).toBe(0);
  });

  it('take the beginning of a huge text as a sample', () => {
    const text = 'The invoice was paid on Monday. '.repeat(100_000);
    expect(estimateText(text) / countTokens(text.slice(0, 32_000)) / 100).toBeCloseTo(1, 0);
  });
});
