import { basename, dirname } from 'node:path';
import { watch } from 'chokidar';
import { changeTime } from './bundler.js';

/** Milliseconds without a change after which a reload begins, because editors and version control write several files. */
const SETTLE_MS = 50;
/** Milliseconds until a folder is certainly watched. */
const START_MS = 500;

/** Watches the folders of files, because many editors replace a file instead of writing to it. */
export class FileWatcher {
  /** Resolves when the watcher has started. */
  readonly ready: Promise<void>;
  readonly #watcher;
  readonly #onChange: () => void;
  /** The files, with the times of their last change when they were read. */
  #files: ReadonlyMap<string, number> = new Map();
  #folders: ReadonlySet<string> = new Set();
  /** Whether any new file counts, because an import could not be found. */
  #awaitsFiles = false;
  #settling: NodeJS.Timeout | undefined;
  #starting: NodeJS.Timeout | undefined;

  constructor(folder: string, onChange: () => void, onError: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#folders = new Set([folder]);
    this.#watcher = watch(folder, {
      ignoreInitial: true,
      depth: 0,
      ignored: (path) => basename(path) === 'node_modules' || basename(path) === '.git',
    });
    this.#watcher.on('all', (event, path) => this.#receive(event, path));
    this.#watcher.on('error', onError);
    this.ready = new Promise((resolve) => void this.#watcher.once('ready', resolve));
  }

  /** Watches these files from now on, and new files in the folders `missing`. */
  follow(files: ReadonlyMap<string, number>, missing: ReadonlySet<string>): void {
    const folders = new Set([...[...files.keys()].map((file) => dirname(file)), ...missing]);
    const added = [...folders].filter((folder) => !this.#folders.has(folder));
    const removed = [...this.#folders].filter((folder) => !folders.has(folder));
    if (added.length > 0) this.#watcher.add(added);
    if (removed.length > 0) this.#watcher.unwatch(removed);
    this.#files = files;
    this.#folders = folders;
    this.#awaitsFiles = missing.size > 0;
    this.#findMissedChange();
    clearTimeout(this.#starting);
    if (added.length > 0) this.#starting = setTimeout(() => this.#findMissedChange(), START_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#settling);
    clearTimeout(this.#starting);
    await this.#watcher.close();
  }

  /** Finds files that changed after they were read and before they were watched. */
  #findMissedChange(): void {
    const hasChanged = [...this.#files].some(([file, time]) => changeTime(file) !== time);
    if (hasChanged) this.#schedule();
  }

  #receive(event: string, path: string): void {
    const isNew = event === 'add' || event === 'addDir';
    if (this.#files.has(path) || (isNew && this.#awaitsFiles)) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.#onChange, SETTLE_MS);
  }
}
