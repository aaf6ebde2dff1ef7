/** Extended public keys as people paste them: xpub and tpub (BIP32), and SLIP132's ypub, zpub and their like. */
import type { BIP32Interface } from 'bip32';
import { DomainError } from '../errors.ts';
import { type Network, networkParameters } from '../network.ts';
import { bip32 } from './hd-key.ts';

export type SingleKeyType = 'segwit' | 'taproot' | 'nested-segwit' | 'legacy';

interface KeyVersion {
  readonly prefix: string;
  readonly version: number;
  readonly mainnet: boolean;
  /** What SLIP132 says the key is for; null for BIP32's own prefixes. */
  readonly purpose: 'nested-segwit' | 'segwit' | 'multisig' | null;
}

/** https://github.com/satoshilabs/slips/blob/master/slip-0132.md */
const PUBLIC_VERSIONS: readonly KeyVersion[] = [
  { prefix: 'xpub', version: 0x0488b21e, mainnet: true, purpose: null },
  { prefix: 'ypub', version: 0x049d7cb2, mainnet: true, purpose: 'nested-segwit' },
  { prefix: 'zpub', version: 0x04b24746, mainnet: true, purpose: 'segwit' },
  { prefix: 'Ypub', version: 0x0295b43f, mainnet: true, purpose: 'multisig' },
  { prefix: 'Zpub', version: 0x02aa7ed3, mainnet: true, purpose: 'multisig' },
  { prefix: 'tpub', version: 0x043587cf, mainnet: false, purpose: null },
  { prefix: 'upub', version: 0x044a5262, mainnet: false, purpose: 'nested-segwit' },
  { prefix: 'vpub', version: 0x045f1cf6, mainnet: false, purpose: 'segwit' },
  { prefix: 'Upub', version: 0x024289ef, mainnet: false, purpose: 'multisig' },
  { prefix: 'Vpub', version: 0x02575483, mainnet: false, purpose: 'multisig' },
];

export interface ExtendedPublicKey {
  readonly node: BIP32Interface;
  /** Written with BIP32's prefix of the network (xpub or tpub), as descriptors want it. */
  readonly text: string;
  readonly purpose: KeyVersion['purpose'];
}

/**
 * Parses an extended public key of `network`. Throws `invalid_descriptor` (private or malformed keys, none of it repeated in the
 * message) or `wrong_network`.
 */
export function parseExtendedPublicKey(text: string, network: Network): ExtendedPublicKey {
  if (/^[xyztuvYZUV]prv/.test(text)) {
    throw new DomainError('invalid_descriptor', 'an extended private key was given: give its public form (xpub, tpub)');
  }
  const version = PUBLIC_VERSIONS.find((candidate) => text.startsWith(candidate.prefix));
  if (!version) {
    throw new DomainError(
      'invalid_descriptor',
      'an extended public key starts with xpub, ypub, zpub, tpub, upub or vpub',
    );
  }
  const parameters = networkParameters(network);
  let node: BIP32Interface;
  try {
    node = bip32.fromBase58(text, { ...parameters, bip32: { ...parameters.bip32, public: version.version } });
  } catch {
    throw new DomainError(
      'invalid_descriptor',
      `the ${version.prefix} key is malformed or mistyped (base58check fails)`,
    );
  }
  if (version.mainnet !== (network === 'mainnet')) {
    throw new DomainError(
      'wrong_network',
      `${version.prefix} is a ${version.mainnet ? 'mainnet' : 'test network'} key, and this service runs on ${network}: give a ${network === 'mainnet' ? 'xpub' : 'tpub'}`,
    );
  }
  node.network = parameters;
  return { node, text: node.toBase58(), purpose: version.purpose };
}

const KEY_EXPRESSION = /^(\[[0-9a-fA-F]{8}(?:\/\d{1,10}[h'H]?)*\])?([1-9A-HJ-NP-Za-km-z]{100,120})$/;

export interface KeyExpression extends ExtendedPublicKey {
  /** `[d34db33f/48h/1h/0h/2h]`, or empty where the key comes without. */
  readonly origin: string;
}

/** A key expression without derivation steps: `[d34db33f/48h/1h/0h/2h]tpub…`, the origin being optional (BIP380). */
export function parseKeyExpression(text: string, network: Network): KeyExpression {
  const match = KEY_EXPRESSION.exec(text.trim());
  if (!match) {
    throw new DomainError(
      'invalid_descriptor',
      'a key expression is [fingerprint/path]xpub without steps after the key, such as [d34db33f/48h/1h/0h/2h]tpub…',
    );
  }
  const origin = (match[1] ?? '').replace(/['H]/g, 'h');
  return { ...parseExtendedPublicKey(match[2]!, network), origin: origin.toLowerCase() };
}
