import { UsageError } from '@toolfold/analysis/internal';
import type { OptionSpecs } from '../terminal/read-arguments.js';

/** Options for the base address and the credentials of an API. `condition` says when they apply. */
export function describeApi(condition = ''): OptionSpecs {
  const write = (help: string): string =>
    condition === '' ? help : `${condition}: ${help.charAt(0).toLowerCase()}${help.slice(1)}`;
  return {
    'base-url': {
      value: 'url',
      help: write('Address of the API. Default: the first https server of the specification'),
    },
    credential: {
      value: 'scheme=VARIABLE',
      isRepeatable: true,
      help: write('Environment variable with the credential for a security scheme; user:password for basic'),
    },
  };
}

type Credential = string | { readonly username: string; readonly password: string };

/** Reads credentials from the environment. Does not split `user:password`, because a token may also contain a colon. */
export function readCredentials(
  environment: ReadonlyMap<string, string>,
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, Credential> {
  return Object.fromEntries(
    [...environment].map(([scheme, variable]) => {
      const value = variables[variable];
      if (value === undefined || value === '')
        throw new UsageError(`--credential ${scheme}: the environment variable ${variable} is not set.`);
      return [scheme, value];
    }),
  );
}

/**
 * Reads the names of environment variables. The command line has no option for the credential itself, because every process of the
 * machine could see it.
 */
export function readEnvironment(given: readonly string[]): Map<string, string> {
  return new Map(
    given.map((each) => {
      const [, scheme, variable] = /^([^=]+)=([A-Za-z_]\w*)$/.exec(each) ?? [];
      if (scheme === undefined || variable === undefined)
        throw new UsageError(
          '--credential must have the form scheme=VARIABLE, with the name of an environment variable.',
        );
      return [scheme, variable];
    }),
  );
}
