/** What is known of tasks, and messages for the processes that run them. Whose a task is, the texts say. */
export interface TaskStore {
  /** What is known of a task. */
  get(id: string): Promise<string | undefined>;
  /** Puts a text in the place of another, or of none, in one step. Resolves to whether the other one was there. */
  exchange(id: string, expected: string | undefined, text: string, ttlMs: number): Promise<boolean>;
  /** Leaves a message, as JSON, for whoever runs a task. */
  send(id: string, message: unknown, ttlMs: number): Promise<void>;
  /** Takes all messages, in their order. They are JSON that nobody has checked. */
  take(id: string): Promise<readonly unknown[]>;
  /** Calls back when another process has left a message, with a test for the id. The result stops that. */
  onMessage(listener: (isMeant: (id: string) => boolean) => void): () => void;
}
