import { signal } from '@preact/signals';

const KEY = 'toolfold-questions';
const MAX = 12;

function read(): readonly string[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(saved) ? saved.filter((each) => typeof each === 'string').slice(0, MAX) : [];
  } catch {
    // Storage may be blocked, and other programs on this port may have written other data.
    return [];
  }
}

/** The latest queries in this browser, newest first. */
export const recentQuestions = signal<readonly string[]>([]);

export function loadRecentQuestions(): void {
  recentQuestions.value = read();
}

/** Adds a question. Replaces the latest one if the new one continues it, as while typing. */
export function addQuestion(questions: readonly string[], question: string): readonly string[] {
  const asked = question.trim();
  if (asked === '') return questions;
  const others = questions.filter((each, at) => each !== asked && !(at === 0 && asked.startsWith(each)));
  return [asked, ...others].slice(0, MAX);
}

export function remember(question: string): void {
  const questions = addQuestion(recentQuestions.peek(), question);
  if (questions === recentQuestions.peek()) return;
  recentQuestions.value = questions;
  save(questions);
}

export function forgetQuestions(): void {
  recentQuestions.value = [];
  save([]);
}

function save(questions: readonly string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(questions));
  } catch {
    // Without storage, the questions are lost when the page closes.
  }
}
