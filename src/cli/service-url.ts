import { UsageError } from './usage-error.ts';

/** What ASHLAR_URL says. Throws UsageError, with the right form, for what is no URL of HTTP. */
export function serviceUrl(given: string): URL {
  const url = httpUrl(given);
  if (url !== null) return url;
  const right = httpUrl(`http://${given}`)?.origin ?? 'http://127.0.0.1:3000';
  throw new UsageError(`ASHLAR_URL is "${given}": it must be a URL with http:// or https://, such as ${right}`);
}

function httpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : null;
}
