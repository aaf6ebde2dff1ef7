/** host:port of a URL, for a log: without user, password and path. undefined where it names no host (a socket of the file system). */
export function hostOf(url: string, usualPort: number): string | undefined {
  const { hostname, port } = new URL(url);
  return hostname === '' ? undefined : `${hostname}:${port || usualPort}`;
}
