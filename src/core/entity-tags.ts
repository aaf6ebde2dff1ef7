/** Whether an If-Match names a version (RFC 9110 §13.1.1): compared strongly, `*` is any. */
export const namesVersion = (ifMatch: string, etag: string): boolean =>
  ifMatch.split(',').some((named) => ['*', etag].includes(named.trim()));

/** The strong validator of a record that counts its versions. */
export const versionTag = (version: number): string => `"${version}"`;
