/** Commands that send an operation's example, as they stand: by the command line, which signs, and with curl where nothing must be signed. */
import { FORM } from '../../../hooks/input/form-bodies.ts';
import { type AnyOperation, FAMILY_CREDENTIALS } from '../../../hooks/operation.ts';
import { takesSignature } from './security.ts';

export interface CodeSample {
  lang: 'bash';
  label: string;
  source: string;
}

/** A shell's variable, and what stands in its place where it isn't set. */
const ORIGIN = `\${ASHLAR_URL:-http://127.0.0.1:3000}`;

export function codeSamples(operation: AnyOperation): CodeSample[] {
  const { access, credentials = FAMILY_CREDENTIALS[operation.family] } = operation;
  const isShared = access !== 'public' && access.own !== true;
  const byKey = isShared && credentials.includes('api_key');
  // After `ashlar login` also what takes no key.
  const mustSign = isShared && takesSignature(operation);
  const samples = [byKey || mustSign ? sample('ashlar', commandLine(operation)) : null];
  if (access === 'public') samples.push(sample('curl', curl(operation, null)));
  else if (!mustSign) samples.push(sample('curl', curl(operation, byKey ? 'KEY' : 'TOKEN')));
  return samples.filter((one) => one !== null);
}

const sample = (label: string, source: string): CodeSample => ({ lang: 'bash', label, source });

function commandLine(operation: AnyOperation): string {
  const { method, bodyContentType } = operation;
  const body = bodyOf(operation);
  const words = [`ashlar request ${method} ${quoted(targetOf(operation))}`];
  if (bodyContentType !== undefined) words.push(`--header ${quoted(`Content-Type: ${bodyContentType}`)}`);
  if (body !== null) words.push(quoted(body));
  return words.join(' ');
}

/** `credential`: the variable of the shell that holds it. */
function curl(operation: AnyOperation, credential: 'KEY' | 'TOKEN' | null): string {
  const { method, bodyContentType = 'application/json' } = operation;
  const body = bodyOf(operation);
  const target = targetOf(operation);
  const words = [`curl "${ORIGIN}"${target === '/' ? '' : quoted(target)}`];
  if (body === null && method !== 'GET') words.push(`-X ${method}`);
  if (credential !== null) words.push(`-H "Authorization: Bearer $${credential}"`);
  if (body !== null) words.push(`-H ${quoted(`Content-Type: ${bodyContentType}`)}`, `-d ${quoted(body)}`);
  return words.join(' ');
}

/** The path and query of its example. */
function targetOf({ path, example }: AnyOperation): string {
  const { params = {}, query = {} } = example ?? {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    params[name] === undefined ? whole : encodeURIComponent(String(params[name])),
  );
  const asked = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return asked.size === 0 ? filled : `${filled}?${asked}`;
}

function bodyOf({ example, bodyContentType }: AnyOperation): string | null {
  const body = example?.body;
  if (body === undefined) return null;
  if (bodyContentType === FORM) return new URLSearchParams(body as Record<string, string>).toString();
  return bodyContentType === undefined ? JSON.stringify(body) : String(body);
}

/** One word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w/.:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
