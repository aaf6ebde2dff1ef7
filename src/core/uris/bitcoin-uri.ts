/** bitcoin: URIs (BIP321, which replaces BIP21): what one says, and what keeps it from being paid. */
import type { Network } from '../network.ts';
import type { InspectedAddress } from '../relay-policy/inspect-address.ts';

export type InstructionKind = 'onchain' | 'lightning' | 'lightning-offer' | 'silent-payment' | 'private-payment';

/** One way to pay. */
export interface PaymentInstruction {
  /** `body` of the URI, or the parameter's key in lower case. */
  readonly key: string;
  readonly kind: InstructionKind;
  /** An address in its usual form; an invoice or offer as given. */
  readonly value: string;
  readonly required: boolean;
  /** Of addresses only. */
  readonly address: InspectedAddress | null;
}

export interface UriParameter {
  /** In lower case, without `req-`. */
  readonly key: string;
  readonly value: string | null;
  readonly required: boolean;
}

export interface ProofOfPayment {
  /** The URI prefix that a wallet completes and opens. */
  readonly uri: string;
  readonly required: boolean;
  /** False for schemes that a browser would open: a wallet must not. */
  readonly allowed: boolean;
}

export interface UriProblem {
  /** `body`, or a parameter's key as sent. */
  readonly parameter: string;
  readonly reason: string;
}

export interface BitcoinUri {
  readonly instructions: readonly PaymentInstruction[];
  readonly amountSats: bigint | null;
  readonly label: string | null;
  readonly message: string | null;
  readonly pop: ProofOfPayment | null;
  /** What is not known here. */
  readonly others: readonly UriParameter[];
  /** Whether a wallet on this network may pay it by at least one of its instructions. */
  readonly payable: boolean;
  readonly problems: readonly UriProblem[];
}

/** Keys that carry addresses, by the prefix that these have. */
export const ADDRESS_KEYS: Readonly<Record<string, readonly Network[]>> = {
  bc: ['mainnet'],
  tb: ['testnet4', 'signet'],
  bcrt: ['regtest'],
};

export const addressKey = (network: Network): string =>
  Object.entries(ADDRESS_KEYS).find(([, networks]) => networks.includes(network))?.[0] ?? 'bc';

export const OTHER_INSTRUCTIONS: Readonly<Record<string, InstructionKind>> = {
  lightning: 'lightning',
  lno: 'lightning-offer',
  sp: 'silent-payment',
  pay: 'private-payment',
};

/** At most once each. */
export const SINGLE_KEYS: ReadonlySet<string> = new Set(['amount', 'label', 'message', 'pop']);

const WEB_SCHEMES = new Set([
  'http',
  'https',
  'file',
  'javascript',
  'mailto',
  'data',
  'ftp',
  'about',
  'blob',
  'vbscript',
]);

/** Whether a wallet may open a proof-of-payment URI: with a scheme of its own, not one that a browser takes. */
export function popAllowed(uri: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  return scheme !== undefined && !WEB_SCHEMES.has(scheme);
}
