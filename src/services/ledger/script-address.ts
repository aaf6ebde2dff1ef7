import { address } from 'bitcoinjs-lib';
import { type Network, networkParameters } from '../../core/network.ts';
import { witnessProgram } from '../../core/policy/standard-scripts.ts';

/** The address of a script, or `script:<hex>` for one that has none (bare multisig, pay to public key, …). */
export function addressOfScript(scriptPubKey: string, network: Network): string {
  const script = Buffer.from(scriptPubKey, 'hex');
  const { bech32, pubKeyHash, scriptHash } = networkParameters(network);
  const witness = witnessProgram(script);
  if (witness) return address.toBech32(witness.program, witness.version, bech32);
  if (/^76a914[0-9a-f]{40}88ac$/.test(scriptPubKey)) return address.toBase58Check(script.subarray(3, 23), pubKeyHash);
  if (/^a914[0-9a-f]{40}87$/.test(scriptPubKey)) return address.toBase58Check(script.subarray(2, 22), scriptHash);
  return `script:${scriptPubKey}`;
}
