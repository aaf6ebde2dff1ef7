/** What the log may say of an internal error: its kind and place, never a stack, a statement or a secret. */
export interface InternalFault {
  type: string;
  code: string | null;
  message: string;
  /** The innermost function of ours, with file and line. */
  where: string | null;
}

const SECRETS: readonly [RegExp, string][] = [
  [/\bak_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}\b/g, 'ak_…'],
  [/\b(rt|pr|cs)_[0-9A-Za-z]{43}\b/g, '$1_…'],
  [/\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+/g, '…jwt…'],
  [/\$argon2\S+/g, '…argon2…'],
  [/\b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{20,}/g, '…prv…'],
  [/\b[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}\b/g, '…wif…'],
  [/\/\/[^\s/@]+@/g, '//…@'],
  [/\b(select|insert|update|delete|create|alter|drop|pragma)\b.*/gis, '(statement)'],
];

/** Takes keys, URL credentials and SQL out of a text that is going to a log. */
export function scrub(text: string): string {
  return SECRETS.reduce((clean, [pattern, stand]) => clean.replace(pattern, stand), text).slice(0, 300);
}

/** Where libraries are: beside the sources, and in the build. */
const LIBRARY = /\/node_modules\/|\/dist\/libraries/;

export function internalFault(error: unknown): InternalFault {
  if (!(error instanceof Error)) return { type: typeof error, code: null, message: scrub(String(error)), where: null };
  const { code } = error as { code?: unknown };
  const frame = error.stack?.split('\n').find((line) => /\/(src|dist)\//.test(line) && !LIBRARY.test(line));
  return {
    type: error.name,
    code: typeof code === 'string' ? code : null,
    message: scrub(error.message),
    where: frame?.replace(/^\s*at\s+/, '').replace(/\(?(?:file:\/\/)?\S*\/(?:src|dist)\//, '(') ?? null,
  };
}
