/**
 * BIP322's proof of funds over a wallet's coins: to_sign spends them besides the virtual output of to_spend, so that each signature covers
 * the message, and none is valid on a chain, where to_spend does not exist.
 */
import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import { messagePsbt } from '../messages/message-psbt.ts';
import { writeSignatureText } from '../messages/signature-text.ts';
import { MAX_WEIGHT } from '../messages/verify-message.ts';
import type { Network } from '../network.ts';
import type { Outpoint } from '../outpoint.ts';
import type { OwnAccount } from '../payments/add-signatures.ts';
import { serializePsbt } from '../psbt/codec/serialize-psbt.ts';
import { inputFactsOf } from '../psbt/construction/derived-script.ts';
import { finalizePsbt } from '../psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';
import { signPsbt } from '../psbt/signing/sign-psbt.ts';
import { signerFromAccountKey } from '../psbt/signing/signers.ts';
import { openBranch } from '../wallets/descriptor-branch.ts';
import { openSpending } from '../wallets/spending-data.ts';

/** As many as a service looks up when it is asked to verify the proof. */
const MAX_COINS = 200;
/** Of to_sign without its inputs. */
const FRAME_WEIGHT = 200;

export interface FundsCoin extends Outpoint {
  readonly amountSats: bigint;
  /** hex */
  readonly scriptPubKey: string;
  readonly change: boolean;
  readonly index: number;
  /** The transaction that pays it, where the script is from before segwit: its signatures cover no amount. */
  readonly previous: Uint8Array | null;
}

export interface FundsParams {
  readonly descriptors: readonly [external: string, internal: string | null];
  readonly account: OwnAccount;
  readonly message: string;
  /** At least one; the message is signed for the first one's address. */
  readonly coins: readonly FundsCoin[];
}

/** So many of the wallet's coins that to_sign is relayed and verified everywhere. */
export function coinsPerProof(descriptor: string, network: Network): number {
  const fitting = Math.floor((MAX_WEIGHT - FRAME_WEIGHT) / Math.max(1, openBranch(descriptor, network).inputWeight()));
  return Math.max(1, Math.min(MAX_COINS, fitting - 1));
}

/** The signature, `pof…`. Overwrites the key. Throws `signing_unavailable` where the account's key is not enough, and as signPsbt does. */
export function proveFunds(
  { descriptors, account: { key, ...origin }, message, coins }: FundsParams,
  { network, randomBytes }: { readonly network: Network; readonly randomBytes: (size: number) => Uint8Array },
): string {
  const signer = signerFromAccountKey({ privateKey: key.subarray(0, 32), chainCode: key.subarray(32) }, origin);
  try {
    const { psbt } = signPsbt(fundsPsbt(descriptors, message, coins, network), signer, { ecc, randomBytes });
    const final = finalizePsbt(psbt);
    if (final.complete) return writeSignatureText('proof-of-funds', serializePsbt(final.psbt));
    throw new DomainError('signing_unavailable', `the wallet's key alone proves nothing: ${final.missing[0]?.reason}`);
  } finally {
    signer.dispose();
    key.fill(0);
  }
}

function fundsPsbt(
  [external, internal]: FundsParams['descriptors'],
  message: string,
  coins: FundsParams['coins'],
  network: Network,
): PsbtV2 {
  const branches = [external, internal ?? external].map((descriptor) => openSpending(descriptor, network));
  const claims = coins.map(({ txid, vout, amountSats, scriptPubKey, change, index, previous }) => ({
    ...inputFactsOf(branches[change ? 1 : 0]!(index)),
    outpoint: { txid, vout },
    ...(previous === null
      ? { witnessUtxo: { amountSats, script: Buffer.from(scriptPubKey, 'hex') } }
      : { nonWitnessUtxo: previous }),
  }));
  const [first] = coins;
  const { outpoint: _spent, witnessUtxo: _amount, nonWitnessUtxo: _previous, ...facts } = claims[0]!;
  return messagePsbt(Buffer.from(first!.scriptPubKey, 'hex'), Buffer.from(message, 'utf8'), facts, claims);
}
