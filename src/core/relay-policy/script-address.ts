import { address } from 'bitcoinjs-lib';
import { type Network, networkParameters } from '../network.ts';
import { outputKind, witnessProgram } from './standard-scripts.ts';

/** The address of a script on a network, null for one that has none (bare keys, bare multisig, data, non-standard scripts). */
export function scriptAddress(script: Uint8Array, network: Network): string | null {
  const { bech32, pubKeyHash, scriptHash } = networkParameters(network);
  const kind = outputKind(script);
  if (kind === 'p2pkh') return address.toBase58Check(script.subarray(3, 23), pubKeyHash);
  if (kind === 'p2sh') return address.toBase58Check(script.subarray(2, 22), scriptHash);
  const witness = kind === 'nonstandard' ? null : witnessProgram(script);
  return witness && address.toBech32(witness.program, witness.version, bech32);
}
