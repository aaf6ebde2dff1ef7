import { type createAddressRules, literalOf } from './addresses.ts';

const MAX_URL_LENGTH = 2048;
const FIRST_USER_PORT = 1024;

/** Why a URL is not asked, to be said to whoever gave it; null where it is. `variable`: what lets private hosts in. Resolves no name. */
export function urlProblem(
  text: string,
  rules: ReturnType<typeof createAddressRules>,
  variable: string,
  example: string,
): string | null {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  if (!URL.canParse(text)) return `must be a URL such as ${example}`;
  const url = new URL(text);
  const named = rules.names(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && named)) {
    return `must begin with https://; plain http is for hosts that ${variable} names`;
  }
  if (url.username !== '' || url.password !== '') return 'must hold neither user nor password';
  return portProblem(url.port, named) ?? literalProblem(url.hostname, rules, variable);
}

const portProblem = (port: string, named: boolean): string | null =>
  !named && port !== '' && Number(port) < FIRST_USER_PORT ? 'must have port 443, or one from 1024' : null;

function literalProblem(
  hostname: string,
  rules: ReturnType<typeof createAddressRules>,
  variable: string,
): string | null {
  const literal = literalOf(hostname);
  if (literal === null || rules.allows(hostname, literal.toString())) return null;
  return `must have a public address: private, loopback, link-local and reserved ones are not asked unless ${variable} names them`;
}

/** The same of a host and port without URL. */
export function hostProblem(
  { hostname, port }: { hostname: string; port: number },
  rules: ReturnType<typeof createAddressRules>,
  variable: string,
): string | null {
  return portProblem(String(port), rules.names(hostname)) ?? literalProblem(hostname, rules, variable);
}
