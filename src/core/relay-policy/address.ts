import { address as codec } from 'bitcoinjs-lib';
import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import type { Network } from '../network.ts';
import { keyHashScript, scriptHashScript, witnessProgramScript } from '../scripts/output-scripts.ts';
import { outputKind } from './standard-scripts.ts';

/** Signet and testnet4 share testnet's addresses; regtest shares the base58 ones. */
const BECH32_NETWORKS: Readonly<Record<string, readonly Network[]>> = {
  bc: ['mainnet'],
  tb: ['testnet4', 'signet'],
  bcrt: ['regtest'],
};
const BASE58_NETWORKS: Readonly<Record<number, { kind: 'p2pkh' | 'p2sh'; networks: readonly Network[] }>> = {
  0: { kind: 'p2pkh', networks: ['mainnet'] },
  5: { kind: 'p2sh', networks: ['mainnet'] },
  111: { kind: 'p2pkh', networks: ['testnet4', 'signet', 'regtest'] },
  196: { kind: 'p2sh', networks: ['testnet4', 'signet', 'regtest'] },
};
const EXAMPLE: Readonly<Record<Network, string>> = {
  mainnet: 'bc1…',
  testnet4: 'tb1…',
  signet: 'tb1…',
  regtest: 'bcrt1…',
};
const MAX_ADDRESS_LENGTH = 90;

/**
 * The script an address of `network` stands for: base58check, bech32 (BIP173) and bech32m (BIP350) with any witness version, as
 * Bitcoin Core decodes them. Throws `invalid_address`, or `wrong_network` naming the network it belongs to. Stricter than Core in one
 * point: a taproot address whose key is not on the curve is refused, since nobody could ever spend what is paid to it.
 */
export function decodeAddress(address: string, network: Network) {
  const { script, networks } = named(address);
  if (!networks.includes(network)) {
    throw new DomainError(
      'wrong_network',
      `${shown(address)} is an address of ${networks.join(' or ')}; here it must be one of ${network} (${EXAMPLE[network]})`,
    );
  }
  return {
    /** hex */
    scriptPubKey: script.toString('hex'),
    kind: outputKind(script),
  };
}

function named(address: string): ReturnType<typeof decode> {
  try {
    return decode(address);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const reason = wrapped(address) ?? error.message;
    throw new DomainError('invalid_address', `${shown(address)} is not a Bitcoin address: ${reason}`);
  }
}

/** How an address is to be written that stands in a URI (BIP321) or between blanks; null where none does. */
function wrapped(text: string): string | null {
  const bare = text.trim();
  const [, address = bare] = /^bitcoin:([^?]*)/i.exec(bare) ?? [];
  if (address === text || !isAddress(address)) return null;
  return address === bare ? 'write it without blanks around it' : 'write the address alone, without bitcoin:';
}

const isAddress = (text: string): boolean => networksOf(text).length > 0;

/** Where it is an address: none where it is none. */
export function networksOf(text: string): readonly Network[] {
  try {
    return decode(text).networks;
  } catch {
    return [];
  }
}

/** Its ends, which tell it: what stands in an address's place by mistake may be a private key. */
const shown = (address: string): string =>
  address.length > 20 ? `"${address.slice(0, 8)}…${address.slice(-4)}"` : `"${address}"`;

function decode(address: string): { script: Buffer; networks: readonly Network[] } {
  if (address.length > MAX_ADDRESS_LENGTH) throw invalid('it is longer than any address');
  const separator = address.lastIndexOf('1');
  const networks = separator > 0 ? BECH32_NETWORKS[address.slice(0, separator).toLowerCase()] : undefined;
  return networks ? { script: decodeBech32(address), networks } : decodeBase58(address);
}

function decodeBech32(address: string): Buffer {
  if (address !== address.toLowerCase() && address !== address.toUpperCase())
    throw invalid('a bech32 address is all lower or all upper case');
  let decoded: ReturnType<typeof codec.fromBech32>;
  try {
    decoded = codec.fromBech32(address);
  } catch {
    throw invalid('its checksum or encoding is wrong');
  }
  const { version, data } = decoded;
  if (version > 16) throw invalid(`there is no witness version ${version}`);
  if (data.length < 2 || data.length > 40) throw invalid('a witness program has 2 to 40 bytes');
  if (version === 0 && data.length !== 20 && data.length !== 32)
    throw invalid('a version 0 witness program has 20 or 32 bytes');
  if (version === 1 && data.length === 32 && !ecc.isXOnlyPoint(data))
    throw invalid('its taproot key is not on the curve, so that nobody could spend from it');
  return witnessProgramScript(version, data);
}

function decodeBase58(address: string): { script: Buffer; networks: readonly Network[] } {
  let decoded: ReturnType<typeof codec.fromBase58Check>;
  try {
    decoded = codec.fromBase58Check(address);
  } catch {
    throw invalid(
      'it is neither a base58 address nor one that starts with bc1, tb1 or bcrt1, or its checksum is wrong',
    );
  }
  const form = BASE58_NETWORKS[decoded.version];
  if (!form) throw invalid(`its version byte ${decoded.version} is no Bitcoin address's`);
  const script = form.kind === 'p2pkh' ? keyHashScript(decoded.hash) : scriptHashScript(decoded.hash);
  return { script, networks: form.networks };
}

const invalid = (reason: string): DomainError => new DomainError('invalid_address', reason);
