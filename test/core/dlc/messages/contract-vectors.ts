/** dlcspecs' full contracts: each message as what it says and as bytes. */
import type { AcceptMessage, OfferMessage, SignMessage } from '../../../../src/core/dlc/dlc-messages.ts';
import { bytes, vectorLines } from '../../../vectors/rows.ts';

export interface ContractVector {
  readonly name: string;
  readonly offer: { readonly message: OfferMessage; readonly serialized: string };
  readonly accept: { readonly message: AcceptMessage; readonly serialized: string };
  readonly sign: { readonly message: SignMessage; readonly serialized: string };
}

export function contractVectors(): ContractVector[] {
  return vectorLines('dlc-contracts').map((line) => {
    const [name] = line.split(' ', 1) as [string];
    return { name, ...JSON.parse(line.slice(name.length), (_name, value: unknown) => figureOf(value)) };
  });
}

function figureOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('x:')) return bytes(value.slice(2));
  return value.startsWith('n:') ? BigInt(value.slice(2)) : value;
}
