/** Scripts and addresses of one public key (or of a sorted multisig), computed directly. Scripts are hex. */
import { address, crypto } from 'bitcoinjs-lib';
import { ecc } from '../../src/core/keys/ecc.ts';
import { type Network, networkParameters } from '../../src/core/network.ts';

export interface AddressedScript {
  readonly scriptPubKey: string;
  readonly address: string;
}

const hex = (...parts: (string | Uint8Array)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString('hex'))).join('');

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');

function witness(version: 0 | 1, program: Uint8Array, network: Network): AddressedScript {
  const opcode = version === 0 ? '00' : '51';
  return {
    scriptPubKey: hex(opcode, Uint8Array.of(program.length), program),
    address: address.toBech32(program, version, networkParameters(network).bech32),
  };
}

/** Pay to witness public key hash (BIP141). */
export const p2wpkh = (publicKey: Uint8Array, network: Network): AddressedScript =>
  witness(0, crypto.hash160(publicKey), network);

/** Pay to taproot, key path only: the output key commits to an empty tree (BIP86). */
export function p2tr(publicKey: Uint8Array, network: Network): AddressedScript {
  const internal = publicKey.subarray(1);
  const tweaked = ecc.xOnlyPointAddTweak(internal, crypto.taggedHash('TapTweak', internal));
  if (!tweaked) throw new RangeError('the taproot tweak has no point');
  return witness(1, tweaked.xOnlyPubkey, network);
}

/** Pay to script hash of any redeem script (BIP16). */
function p2sh(redeemScript: Uint8Array, network: Network): AddressedScript {
  const hash = crypto.hash160(redeemScript);
  return {
    scriptPubKey: hex('a914', hash, '87'),
    address: address.toBase58Check(hash, networkParameters(network).scriptHash),
  };
}

/** P2WPKH inside P2SH (BIP49). */
export const p2shP2wpkh = (publicKey: Uint8Array, network: Network): AddressedScript =>
  p2sh(bytes(hex('0014', crypto.hash160(publicKey))), network);

/** Pay to public key hash. */
export function p2pkh(publicKey: Uint8Array, network: Network): AddressedScript {
  const hash = crypto.hash160(publicKey);
  return {
    scriptPubKey: hex('76a914', hash, '88ac'),
    address: address.toBase58Check(hash, networkParameters(network).pubKeyHash),
  };
}

/** k-of-n over keys in lexicographic order (BIP67), up to 20 keys: the script behind sortedmulti(). */
export function sortedMultisigScript(required: number, publicKeys: readonly Uint8Array[]): Buffer {
  const keys = publicKeys.map((key) => Buffer.from(key)).sort(Buffer.compare);
  return bytes(hex(smallNumber(required), ...keys.map((key) => hex('21', key)), smallNumber(keys.length), 'ae'));
}

/** Pay to witness script hash. */
export const p2wsh = (witnessScript: Uint8Array, network: Network): AddressedScript =>
  witness(0, crypto.sha256(witnessScript), network);

/** OP_1 to OP_16, or a push of one byte. */
const smallNumber = (value: number): string => hex(value <= 16 ? Uint8Array.of(0x50 + value) : Uint8Array.of(1, value));
