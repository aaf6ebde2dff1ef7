/** Vectors of the BIPs, which lie beside the project where they are there at all. */
import { existsSync, readFileSync } from 'node:fs';

const textOf = (name: string): string | null => {
  const file = new URL(`../../../../shared/vectors/taproot/${name}`, import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};

export type WalletTree =
  | { readonly id: number; readonly script: string; readonly leafVersion: number }
  | readonly [WalletTree, WalletTree];

export interface WalletVectors {
  readonly scriptPubKey: readonly {
    readonly given: { readonly internalPubkey: string; readonly scriptTree: WalletTree | null };
    readonly intermediary: {
      readonly leafHashes?: readonly string[];
      readonly merkleRoot: string | null;
      readonly tweak: string;
      readonly tweakedPubkey: string;
    };
    readonly expected: {
      readonly scriptPubKey: string;
      readonly bip350Address: string;
      readonly scriptPathControlBlocks?: readonly string[];
    };
  }[];
  readonly keyPathSpending: readonly [
    {
      readonly given: {
        readonly rawUnsignedTx: string;
        readonly utxosSpent: readonly { readonly scriptPubKey: string; readonly amountSats: number }[];
      };
      readonly inputSpending: readonly {
        readonly given: {
          readonly txinIndex: number;
          readonly internalPrivkey: string;
          readonly merkleRoot: string | null;
          readonly hashType: number;
        };
        readonly intermediary: {
          readonly internalPubkey: string;
          readonly tweak: string;
          readonly tweakedPrivkey: string;
          readonly sigHash: string;
        };
        readonly expected: { readonly witness: readonly string[] };
      }[];
      readonly auxiliary: { readonly fullySignedTx: string };
    },
  ];
}

/** null where the folder is not there. */
export function walletVectors(): WalletVectors | null {
  const text = textOf('bip0341-wallet.json');
  return text === null ? null : (JSON.parse(text) as WalletVectors);
}

export interface SchnorrVector {
  readonly index: string;
  /** '' where it is only to be verified. */
  readonly secretKey: string;
  readonly publicKey: string;
  readonly aux: string;
  readonly message: string;
  readonly signature: string;
  readonly valid: boolean;
  readonly comment: string;
}

export function schnorrVectors(): SchnorrVector[] | null {
  const text = textOf('bip0340.csv');
  if (text === null) return null;
  const lines = text.trim().split(/\r?\n/).slice(1);
  return lines.map((line) => {
    const [index = '', secretKey = '', publicKey = '', aux = '', message = '', signature = '', result, comment = ''] =
      line.split(',');
    return { index, secretKey, publicKey, aux, message, signature, valid: result === 'TRUE', comment };
  });
}
