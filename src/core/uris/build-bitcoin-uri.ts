import { formatBtc } from '../amount.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { inspectAddress } from '../relay-policy/inspect-address.ts';
import { addressKey, OTHER_INSTRUCTIONS, popAllowed, SINGLE_KEYS } from './bitcoin-uri.ts';
import { MAX_URI_CHARACTERS } from './parse-bitcoin-uri.ts';

export interface UriRequest {
  /** In the body. */
  readonly address?: string;
  /** Further segwit addresses, as parameters of their network's prefix. */
  readonly addresses?: readonly string[];
  readonly amountSats?: bigint;
  readonly label?: string;
  readonly message?: string;
  readonly lightning?: string;
  readonly lno?: string;
  readonly sp?: string;
  readonly pay?: string;
  readonly pop?: string;
  readonly popRequired?: boolean;
  readonly parameters?: readonly {
    readonly key: string;
    readonly value?: string | undefined;
    readonly required?: boolean | undefined;
  }[];
  /** All upper case, so that a QR code is smaller: for what means the same then. */
  readonly upperCase?: boolean;
}

/** A bitcoin: URI (BIP321). Throws `invalid_value` and `invalid_address` naming the field; `too_large`. */
export function buildBitcoinUri(request: UriRequest, network: Network): string {
  const { address } = request;
  const parts = [
    ...(request.addresses ?? []).map((one, position) => [
      addressKey(network),
      segwitAddress(one, `addresses[${position}]`, network),
    ]),
    ...(request.amountSats === undefined ? [] : [['amount', shortBtc(request.amountSats)]]),
    ...(['label', 'message'] as const).flatMap((key) => (request[key] === undefined ? [] : [[key, request[key]]])),
    ...Object.keys(OTHER_INSTRUCTIONS).flatMap((key) => {
      const value = request[key as 'lightning'];
      return value === undefined ? [] : [[key, value]];
    }),
    ...popPart(request),
    ...(request.parameters ?? []).map(ownParameter),
  ].map(([key, value]) =>
    value === undefined ? encoded(key as string) : `${encoded(key as string)}=${encoded(value)}`,
  );
  const hasInstruction = ['address', 'lightning', 'lno', 'sp', 'pay'].some(
    (key) => request[key as 'address'] !== undefined,
  );
  if (!hasInstruction && !request.addresses?.length) {
    throw new DomainError('invalid_value', 'give an address or another payment instruction (lightning, lno, sp, pay)', {
      field: 'address',
    });
  }
  const body = address === undefined ? '' : anyAddress(address, 'address', network);
  const uri = `bitcoin:${body}${parts.length === 0 ? '' : `?${parts.join('&')}`}`;
  if (uri.length > MAX_URI_CHARACTERS) {
    throw new DomainError(
      'too_large',
      `the URI has ${uri.length} characters, and a QR code holds at most ${MAX_URI_CHARACTERS}`,
    );
  }
  return request.upperCase === true ? upperCased(uri, request) : uri;
}

function anyAddress(text: string, field: string, network: Network): string {
  const found = inspectAddress(text, network);
  if (found.valid) return found.address;
  const code = found.problem === 'wrong_network' ? 'wrong_network' : 'invalid_address';
  throw new DomainError(code, `this cannot be paid to: ${found.reason}`, { field });
}

function segwitAddress(text: string, field: string, network: Network): string {
  const address = anyAddress(text, field, network);
  if (inspectAddress(address, network).encoding !== 'base58') return address;
  throw new DomainError('invalid_address', 'a base58 address stands in the body of the URI only: give it as address', {
    field,
  });
}

function popPart({ pop, popRequired }: UriRequest): [string, string][] {
  if (pop === undefined) return [];
  if (!popAllowed(pop)) {
    throw new DomainError(
      'invalid_value',
      'a proof of payment goes to an app by a scheme of its own (myapp:), never to a browser',
      {
        field: 'pop',
      },
    );
  }
  return [[popRequired === true ? 'req-pop' : 'pop', pop]];
}

function ownParameter(
  { key, value, required }: { key: string; value?: string | undefined; required?: boolean | undefined },
  position: number,
): (string | undefined)[] {
  const lower = key.toLowerCase();
  if (SINGLE_KEYS.has(lower) || lower.startsWith('req-')) {
    throw new DomainError('invalid_value', 'this key has a field of its own, or is written with required: true', {
      field: `parameters[${position}].key`,
    });
  }
  return [required === true ? `req-${key}` : key, value];
}

/** Exact, without the zeros that say nothing. */
const shortBtc = (amount: bigint): string => formatBtc(amount).replace(/\.?0+$/, '');

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new DomainError('invalid_value', 'a text holds half a character (a lone surrogate)', { field: 'parameters' });
  }
}

function upperCased(uri: string, request: UriRequest): string {
  const caseBound = (['label', 'message', 'pop', 'pay'] as const).find((key) => request[key] !== undefined);
  const base58 = request.address !== undefined && !/^(bc|tb|bcrt)1/i.test(request.address);
  if (caseBound === undefined && !base58 && !request.parameters?.length) return uri.toUpperCase();
  throw new DomainError(
    'invalid_value',
    'upper case would change what it means: only bech32 addresses, amounts, invoices and offers may be written so',
    { field: 'upper_case' },
  );
}
