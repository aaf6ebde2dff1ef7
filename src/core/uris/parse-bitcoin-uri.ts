import { btcProblem, parseBtc } from '../amount.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { inspectAddress } from '../relay-policy/inspect-address.ts';
import {
  ADDRESS_KEYS,
  type BitcoinUri,
  OTHER_INSTRUCTIONS,
  type PaymentInstruction,
  type ProofOfPayment,
  popAllowed,
  SINGLE_KEYS,
  type UriParameter,
  type UriProblem,
} from './bitcoin-uri.ts';

/** The longest that a QR code holds; a link is no longer. */
export const MAX_URI_CHARACTERS = 4_296;
const QCHARS = /^[A-Za-z0-9\-._~!$'()*+,;:@/?%=]*$/;

/**
 * Reads a bitcoin: URI. Throws `invalid_value` where BIP321 says that it is invalid in itself: a wrong scheme or encoding, a parameter
 * twice that may stand once, an amount that is none, an address under another network's key, no payment instruction at all. What keeps
 * a well-formed one from being paid here (parameters that are required and unknown, addresses mistyped or of another network) is told
 * in `problems`.
 */
export function parseBitcoinUri(uri: string, network: Network): BitcoinUri {
  if (uri.length > MAX_URI_CHARACTERS)
    throw invalid(`a bitcoin: URI has at most ${MAX_URI_CHARACTERS} characters here`);
  const match = /^bitcoin:([^?#]*)(?:\?([^#]*))?$/i.exec(uri);
  if (!match) throw invalid('a bitcoin: URI begins with bitcoin: and has no fragment (#)');
  const parameters = parametersOf(match[2] ?? '');
  refuseRepeated(parameters);
  const body = match[1] as string;
  if (!/^[0-9A-Za-z]*$/.test(body)) throw invalid('the body of a bitcoin: URI is an address, or empty');
  const instructions = [
    ...(body === '' ? [] : [onchain('body', body, false, network)]),
    ...parameters.flatMap((parameter) => instructionOf(parameter, network)),
  ];
  if (instructions.length === 0) throw invalid('the URI has neither an address nor another payment instruction');
  const one = (key: string): string | null => parameters.find((parameter) => parameter.key === key)?.value ?? null;
  const pop = popOf(parameters);
  const others = parameters.filter(({ key }) => !isKnown(key));
  const problems = problemsOf(instructions, others, pop);
  const mayPay = !problems.some(({ fatal }) => fatal) && instructions.some(isUsable);
  return {
    instructions,
    amountSats: amountOf(parameters),
    label: one('label'),
    message: one('message'),
    pop,
    others,
    payable: mayPay,
    problems: problems.map(({ parameter, reason }) => ({ parameter, reason })),
  };
}

const isKnown = (key: string): boolean =>
  SINGLE_KEYS.has(key) || Object.hasOwn(ADDRESS_KEYS, key) || Object.hasOwn(OTHER_INSTRUCTIONS, key);
const isUsable = ({ address, value }: PaymentInstruction): boolean => (address === null ? value !== '' : address.valid);

function parametersOf(query: string): UriParameter[] {
  if (!QCHARS.test(query.replaceAll('&', ''))) {
    throw invalid('a character of the parameters must be percent-encoded (RFC 3986)');
  }
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const key = decoded(at === -1 ? part : part.slice(0, at)).toLowerCase();
      const value = at === -1 ? null : decoded(part.slice(at + 1));
      if (key === '' || key === 'req-') throw invalid('a parameter has no name');
      return key.startsWith('req-') ? { key: key.slice(4), value, required: true } : { key, value, required: false };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a percent-encoding is not of two hex digits, or not of UTF-8');
  }
}

function refuseRepeated(parameters: readonly UriParameter[]): void {
  const seen = new Set<string>();
  for (const { key } of parameters) {
    if (SINGLE_KEYS.has(key) && seen.has(key)) throw invalid(`${key} may stand once only`);
    seen.add(key);
  }
}

function instructionOf({ key, value, required }: UriParameter, network: Network): PaymentInstruction[] {
  const networks = Object.hasOwn(ADDRESS_KEYS, key) ? ADDRESS_KEYS[key] : undefined;
  if (networks !== undefined) {
    const instruction = onchain(key, value ?? '', required, network);
    const found = instruction.address?.networks ?? [];
    if (found.length > 0 && !found.some((one) => networks.includes(one))) {
      throw invalid(
        `the parameter ${key} holds an address of ${found.join(' or ')}, and is for ${networks.join(' or ')}`,
      );
    }
    return [instruction];
  }
  const kind = Object.hasOwn(OTHER_INSTRUCTIONS, key) ? OTHER_INSTRUCTIONS[key] : undefined;
  return kind === undefined ? [] : [{ key, kind, value: value ?? '', required, address: null }];
}

function onchain(key: string, text: string, required: boolean, network: Network): PaymentInstruction {
  const address = inspectAddress(text, network);
  return { key, kind: 'onchain', value: address.address, required, address };
}

function amountOf(parameters: readonly UriParameter[]): bigint | null {
  const given = parameters.find(({ key }) => key === 'amount');
  if (given === undefined) return null;
  // BIP321's grammar takes .5 and 50. too.
  const text = /^(?=.*\d)\d*\.?\d*$/.test(given.value ?? '')
    ? (given.value as string)
        .replace(/^\./, '0.')
        .replace(/\.$/, '')
        .replace(/^0+(?=\d)/, '')
    : '';
  const problem = btcProblem(text);
  if (problem !== null) throw invalid(`the amount ${problem}`);
  return parseBtc(text);
}

function popOf(parameters: readonly UriParameter[]): ProofOfPayment | null {
  const given = parameters.find(({ key }) => key === 'pop');
  if (given === undefined) return null;
  const uri = given.value ?? '';
  return { uri, required: given.required, allowed: popAllowed(uri) };
}

/** `fatal`: the whole URI must not be paid. */
function problemsOf(
  instructions: readonly PaymentInstruction[],
  others: readonly UriParameter[],
  pop: ProofOfPayment | null,
): (UriProblem & { fatal: boolean })[] {
  const ofAddresses = instructions.flatMap(({ key, address, value }) => {
    if (address === null) return value === '' ? [{ parameter: key, reason: 'it is empty', fatal: false }] : [];
    return address.valid
      ? []
      : [{ parameter: key, reason: address.reason ?? 'it is no address', fatal: key === 'body' }];
  });
  const unknown = others
    .filter(({ required }) => required)
    .map(({ key }) => ({
      parameter: `req-${key}`,
      reason: 'it is required and not known here, so that the URI must not be paid (BIP321)',
      fatal: true,
    }));
  const proof =
    pop?.required && !pop.allowed
      ? [
          {
            parameter: 'req-pop',
            reason: 'a wallet must not open such a URI, and a proof of payment is required',
            fatal: true,
          },
        ]
      : [];
  return [...ofAddresses, ...unknown, ...proof];
}

const invalid = (message: string): DomainError => new DomainError('invalid_value', message);
