/** The version of this package; a test keeps it equal to the manifest's. */
export const packageVersion = '0.1.0';
