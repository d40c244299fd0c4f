/**
 * Tells the other processes what happened here. What is sent may be lost while they cannot be reached, and is not
 * repeated: nothing that must not be lost belongs here.
 */
export interface Bus {
  /** Sends JSON to whoever listens to the topic in another process, in order. Never throws. */
  publish(topic: string, message: unknown): void;
  /** Hears what others send, as JSON that nobody has checked. The result stops that. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void;
  /** Calls back when messages may have been missed. */
  onGap(listener: () => void): () => void;
}
