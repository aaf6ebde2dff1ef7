import { BIP32Factory } from 'bip32';
import { payments } from 'bitcoinjs-lib';
import type { CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import type { ScriptType } from '../../../src/core/script-type.ts';
import { signTransaction } from '../../../src/core/transactions/sign-transaction.ts';
import type { KeyRing } from '../../../src/core/transactions/signing-input.ts';
import { coin } from '../coin-selection/coins.ts';

export type SingleKeyType = Exclude<ScriptType, 'p2wsh' | 'p2sh'>;
export const SINGLE_KEY_TYPES: readonly SingleKeyType[] = ['p2wpkh', 'p2tr', 'p2sh-p2wpkh', 'p2pkh'];

const root = BIP32Factory(ecc).fromSeed(Buffer.alloc(32, 7));
const node = (change: boolean, index: number) => root.derive(change ? 1 : 0).derive(index);

/** A key ring that keeps what it gave out, to see that it was overwritten. */
export function testKeyRing(): KeyRing & { readonly given: Uint8Array[] } {
  const given: Uint8Array[] = [];
  return {
    given,
    privateKey: (change, index) => {
      const key = Uint8Array.from(node(change, index).privateKey!);
      given.push(key);
      return key;
    },
    publicKey: (change, index) => node(change, index).publicKey,
    dispose: () => {},
  };
}

/** The script of a key, by bitcoinjs-lib's payments. */
export function scriptOf(scriptType: SingleKeyType, change: boolean, index: number): string {
  const pubkey = node(change, index).publicKey;
  const output = {
    p2wpkh: () => payments.p2wpkh({ pubkey }).output,
    p2tr: () => payments.p2tr({ internalPubkey: pubkey.subarray(1) }).output,
    'p2sh-p2wpkh': () => payments.p2sh({ redeem: payments.p2wpkh({ pubkey }) }).output,
    p2pkh: () => payments.p2pkh({ pubkey }).output,
  }[scriptType]()!;
  return Buffer.from(output).toString('hex');
}

/** A coin that testKeyRing can sign for. */
export function keyCoin(
  scriptType: SingleKeyType,
  amountSats: bigint,
  index = 0,
  fields: Partial<CandidateCoin> = {},
): CandidateCoin {
  const { inputWeight: _, ...plain } = coin(amountSats);
  const change = fields.change ?? false;
  return { ...plain, scriptType, scriptPubKey: scriptOf(scriptType, change, index), change, index, ...fields };
}

export function signedAtOnce(...given: Parameters<typeof signTransaction>) {
  const steps = signTransaction(...given);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
