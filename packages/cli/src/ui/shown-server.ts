import type { UpstreamList } from '@toolfold/devtools/internal';
import type { Form, LoadedModule, Selection } from '@toolfold/analysis/internal';
import type { ProfileName } from '@toolfold/profiles';
import type { OpenOptions } from '../target/open-options.js';
import type { SpecificationOptions } from '../target/specification.js';

export interface SourceOptions extends Pick<OpenOptions, 'terminal' | 'protocol' | 'timeoutMs' | 'signal'> {
  readonly form: Form | undefined;
  readonly code: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly toolsets: readonly string[] | undefined;
  readonly lockfile: string | undefined;
  readonly isJson: boolean;
  readonly specification: SpecificationOptions;
}

export interface ShownServer {
  readonly loaded: LoadedModule;
  readonly canCall?: boolean;
  /** Removes the credentials of the command line from a text. */
  readonly redact?: (text: string) => string;
  /** The tools as the server or the saved list has them. Missing for a file. */
  readonly upstream?: () => UpstreamList;
  /** Why the server does not work at the moment. */
  readonly problem?: () => string | undefined;
  /** Subscribes to changes of `problem`. Returns a function that unsubscribes. */
  readonly onProblem?: (listener: () => void) => () => void;
  readonly close?: () => Promise<void>;
}
