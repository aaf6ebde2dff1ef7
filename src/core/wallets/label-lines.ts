/** BIP329: labels as JSON lines. */
import { DomainError } from '../errors.ts';
import { jsonProblem } from '../json-text.ts';

export const LABEL_TYPES = ['tx', 'addr', 'pubkey', 'input', 'output', 'xpub'] as const;
type LabelType = (typeof LABEL_TYPES)[number];

export interface LabelLine {
  readonly type: LabelType;
  readonly ref: string;
  /** Absent: the importer leaves the label as it is. */
  readonly label?: string;
  /** Abbreviated descriptor of the wallet: `wpkh([d34db33f/84h/0h/0h])`. */
  readonly origin?: string;
  /** Outputs only; absent: left as it is. */
  readonly spendable?: boolean;
  /** Further members (height, fee, keypath, …), kept as they came. */
  readonly extra: Readonly<Record<string, unknown>>;
}

const MAX_LABEL = 255;
const HASH = /^[0-9a-f]{64}$/i;
const REFERENCES: Record<LabelType, { form: RegExp; name: string }> = {
  tx: { form: HASH, name: 'a transaction id' },
  addr: { form: /^[0-9A-Za-z]{14,100}$/, name: 'an address' },
  pubkey: { form: /^(?:[0-9a-f]{64}|0[23][0-9a-f]{64}|04[0-9a-f]{128})$/i, name: 'a public key in hex' },
  input: { form: /^[0-9a-f]{64}:\d{1,10}$/i, name: 'txid:index' },
  output: { form: /^[0-9a-f]{64}:\d{1,10}$/i, name: 'txid:index' },
  xpub: { form: /^[A-Za-z]pub[1-9A-HJ-NP-Za-km-z]{79,108}$/, name: 'an extended public key' },
};
const CASELESS: readonly LabelType[] = ['tx', 'pubkey', 'input', 'output'];

/** Throws `invalid_label_file` naming the line (from 1) and what is wrong with it. Empty lines are passed over. */
export function parseLabelLines(text: string) {
  const lines: LabelLine[] = [];
  let ignored = 0;
  text.split('\n').forEach((line, position) => {
    if (line.trim() === '') return;
    const parsed = parseLine(line, (problem) => {
      throw new DomainError('invalid_label_file', `line ${position + 1}: ${problem}`, { field: `body[${position}]` });
    });
    if (parsed) lines.push(parsed);
    else ignored += 1;
  });
  return {
    lines,
    /** Lines of types that BIP329 does not define, which importers ignore. */
    ignored,
  };
}

function parseLine(text: string, refuse: (problem: string) => never): LabelLine | null {
  const problem = jsonProblem(text);
  if (problem !== null) refuse(problem);
  const record = jsonObject(text) ?? refuse('must be one JSON object');
  const { type, ref, label, origin, spendable, ...extra } = record;
  if (typeof type !== 'string') refuse('type must be a string');
  if (typeof ref !== 'string') return refuse('ref must be a string');
  const known = LABEL_TYPES.find((candidate) => candidate === type);
  if (!known) return null;
  const { form, name } = REFERENCES[known];
  if (!form.test(ref)) refuse(`ref of type ${known} must be ${name}`);
  if (label !== undefined && typeof label !== 'string') refuse('label must be a string');
  if (typeof label === 'string' && label.length > MAX_LABEL) refuse(`label has at most ${MAX_LABEL} characters`);
  if (origin !== undefined && typeof origin !== 'string') refuse('origin must be a string');
  if (spendable !== undefined && typeof spendable !== 'boolean')
    refuse('spendable must be true or false, without quotes');
  if (spendable !== undefined && known !== 'output') refuse('spendable goes with type output only');
  return {
    type: known,
    ref: CASELESS.includes(known) ? ref.toLowerCase() : ref,
    ...(typeof label === 'string' ? { label } : {}),
    ...(typeof origin === 'string' ? { origin } : {}),
    ...(typeof spendable === 'boolean' ? { spendable } : {}),
    extra,
  };
}

function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** One line per label, each ended by a newline. */
export function formatLabelLines(lines: readonly LabelLine[]): string {
  return lines
    .map(
      ({ type, ref, label, origin, spendable, extra }) =>
        `${JSON.stringify({ type, ref, label, origin, spendable, ...extra })}\n`,
    )
    .join('');
}

/** What `origin` says of a wallet with one key; null for others. Hardened steps are compared as h. */
export function abbreviatedOrigin(externalDescriptor: string): string | null {
  const match = /^(pkh\(|wpkh\(|tr\(|sh\(wpkh\()(\[[^\]]+\])[^(),]+(\)+)#/.exec(externalDescriptor);
  return match ? normalOrigin(`${match[1]}${match[2]}${match[3]}`) : null;
}

export const normalOrigin = (origin: string): string => origin.replace(/['H]/g, 'h');
