/** The vectors of BIP340 and BIP341. */
import { vectorLines, vectorRows } from '../../vectors/rows.ts';

export interface WalletLeaf {
  readonly script: string;
  readonly version: number;
  readonly hash: string;
  readonly controlBlock: string;
}
export type WalletTree = WalletLeaf | readonly [WalletTree, WalletTree];

export interface WalletOutput {
  readonly internalKey: string;
  readonly tree: WalletTree | null;
  readonly merkleRoot: string | null;
  readonly tweak: string;
  readonly outputKey: string;
  readonly scriptPubKey: string;
  readonly address: string;
}

/** A transaction whose taproot inputs are spent by their keys. */
export interface WalletSpending {
  readonly unsigned: string;
  readonly signed: string;
  /** Script and satoshis of what its inputs spend. */
  readonly spent: readonly (readonly [string, number])[];
  readonly inputs: readonly {
    readonly index: number;
    readonly hashType: number;
    readonly privateKey: string;
    readonly internalKey: string;
    readonly merkleRoot: string | null;
    readonly tweakedPrivateKey: string;
    readonly message: string;
    readonly hash: string;
    /** With its hash type, where it has one. */
    readonly signature: string;
  }[];
}

const lines = vectorLines('bip341').map((line) => JSON.parse(line) as unknown);
export const walletOutputs = lines.slice(0, -1) as WalletOutput[];
export const walletSpending = lines.at(-1) as WalletSpending;
export const walletSpent = walletSpending.spent.map(([scriptPubKey, amount]) => ({
  scriptPubKey,
  amountSats: BigInt(amount),
}));

/** From left to right. */
export const walletLeaves = (tree: WalletTree | null): readonly WalletLeaf[] =>
  tree === null ? [] : 'script' in tree ? [tree] : tree.flatMap(walletLeaves);

/** The secret key is '' where a signature is only to be verified. */
export const schnorrVectors = vectorRows('bip340').map(
  ([index = '', secretKey = '', publicKey = '', aux = '', message = '', signature = '', verdict]) => ({
    ...{ index, secretKey, publicKey, aux, message, signature },
    valid: verdict === 'valid',
  }),
);
