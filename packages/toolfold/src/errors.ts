/** `toolfold/errors`: every error, with its audience. They are defined below all packages, so that all can throw them. */
export * from '@toolfold/schema/errors';
