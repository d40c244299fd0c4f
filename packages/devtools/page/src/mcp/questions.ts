import { signal } from '@preact/signals';

type Fields = Readonly<Record<string, unknown>>;

type QuestionMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** A question of the server that waits for the developer. */
export interface Question {
  readonly id: number;
  readonly method: QuestionMethod;
  readonly params: Fields;
  /** Describes the asking call. */
  readonly asker: string;
  readonly era: string;
  readonly answer: (result: Fields) => void;
  /** Rejects the question. */
  readonly dismiss: (reason: Error) => void;
}

/** Waiting questions, the oldest first. */
export const questions = signal<readonly Question[]>([]);

let lastId = 0;

/** Shows a question and resolves with the answer. Rejects when the signal aborts. */
export function ask(
  question: Pick<Question, 'method' | 'params' | 'asker' | 'era'>,
  aborted: AbortSignal,
): Promise<Fields> {
  return new Promise((resolve, reject) => {
    const id = ++lastId;
    const remove = (): void => {
      questions.value = questions.value.filter((each) => each.id !== id);
      aborted.removeEventListener('abort', stop);
    };
    const stop = (): void => {
      remove();
      reject(aborted.reason as Error);
    };
    if (aborted.aborted) return reject(aborted.reason as Error);
    aborted.addEventListener('abort', stop, { once: true });
    questions.value = [
      ...questions.value,
      {
        ...question,
        id,
        answer: (result) => {
          remove();
          resolve(result);
        },
        dismiss: (reason) => {
          remove();
          reject(reason);
        },
      },
    ];
  });
}

export function isQuestionMethod(method: unknown): method is QuestionMethod {
  return method === 'elicitation/create' || method === 'sampling/createMessage' || method === 'roots/list';
}
