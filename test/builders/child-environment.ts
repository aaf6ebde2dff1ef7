/** What a process that a test starts has of this one's environment. */
export const childEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
