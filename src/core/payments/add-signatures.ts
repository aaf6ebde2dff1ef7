/** What a payment that waits for signatures becomes with what a signer sent: plain data to plain data, so that it runs in any thread. */
import type { ParsedOutput } from '../blocks/transaction.ts';
import { hex } from '../bytes.ts';
import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import type { Txid } from '../outpoint.ts';
import { spentOutput } from '../psbt/codec/input-fields.ts';
import type { KeyOrigin } from '../psbt/codec/key-derivations.ts';
import { INPUT } from '../psbt/codec/key-types.ts';
import { psbtFromText, psbtToBase64 } from '../psbt/codec/psbt-text.ts';
import { toVersion2 } from '../psbt/construction/migrate.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';
import { requireV2 } from '../psbt/require-v2.ts';
import { mergeSignatures } from '../psbt/signatures/merge-signatures.ts';
import { signPsbt } from '../psbt/signing/sign-psbt.ts';
import { signerFromAccountKey } from '../psbt/signing/signers.ts';
import { unsignedBytes } from '../psbt/transaction-of.ts';
import { type AddedField, addedFields } from './added-fields.ts';
import { completePayment } from './complete-payment.ts';

/** The account key that the service has among a wallet's. */
export interface OwnAccount extends KeyOrigin {
  /** 32 bytes of private key and 32 of chain code in memory of their own, which whoever is given it overwrites. */
  readonly key: Uint8Array<ArrayBuffer>;
}

export interface SignaturesParams {
  /** The payment's as it stands, and the signer's of either version: base64 or hex. */
  readonly psbts: readonly [own: string, theirs: string];
  /** Whether it is a MuSig2 wallet's, whose nonces and signatures take some milliseconds for each participant. */
  readonly musig: boolean;
  /** Of a MuSig2 wallet: the service signs as the last of its participants, as soon as all other nonces are there. */
  readonly account: OwnAccount | null;
  /** The service's own among the participants, compressed, where its account is not opened: of it nobody else gives a nonce. */
  readonly ownKey?: Uint8Array | null;
}

export interface SignaturesResult {
  /** Base64; with it all, where it is complete. */
  readonly psbt: string;
  /** The nonces of others that came with it, in hex. */
  readonly nonces: readonly string[];
  /** What the signer gave and was not there, without the service's own share. */
  readonly added: readonly AddedField[];
  /** The transaction without signatures, and the outputs that its inputs spend. */
  readonly unsigned: Uint8Array;
  readonly spent: readonly ParsedOutput[];
  readonly complete: { readonly raw: Uint8Array; readonly txid: Txid; readonly vsize: number } | null;
}

interface Tools {
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Throws as psbtFromText and mergeSignatures do, naming the field `psbt`. */
export function addSignatures(
  { psbts: [own, theirs], account, ownKey = null }: SignaturesParams,
  tools: Tools,
): SignaturesResult {
  try {
    const before = requireV2(psbtFromText(own));
    const point = account === null ? ownKey : (ecc.pointFromScalar(account.key.subarray(0, 32), true) as Uint8Array);
    const merged = mergeSignatures(before, version2(theirs), point);
    const signed = account === null ? merged : withOwnShare(merged, account, tools);
    return {
      ...{ psbt: psbtToBase64(signed), nonces: newNonces(before, merged), added: addedFields(before, merged) },
      unsigned: Uint8Array.from(unsignedBytes(before)!),
      spent: before.inputs.map((input) => spentOutput(input)!),
      complete: completePayment(signed),
    };
  } finally {
    account?.key.fill(0);
  }
}

/** Of version 2 whatever came: Bitcoin Core and older devices answer version 0. */
function version2(text: string): PsbtV2 {
  const psbt = psbtFromText(text);
  return psbt.version === 0 ? toVersion2(psbt) : psbt;
}

/**
 * The service's nonce and partial signature, made at once for every input whose other nonces are all there and that has none of its own yet.
 * What they are made for is the PSBT that was given out, but for the others' nonces, and randomness goes into each.
 */
function withOwnShare(psbt: PsbtV2, { key, ...origin }: OwnAccount, { randomBytes }: Tools): PsbtV2 {
  const signer = signerFromAccountKey({ privateKey: key.subarray(0, 32), chainCode: key.subarray(32) }, origin);
  try {
    return signPsbt(psbt, signer, { ecc, randomBytes }).psbt;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'nothing_signed') return psbt;
    throw error;
  } finally {
    signer.dispose();
  }
}

const newNonces = (before: PsbtV2, after: PsbtV2): string[] =>
  after.inputs.flatMap((input, index) =>
    input
      .all(INPUT.MUSIG2_PUB_NONCE)
      .filter(({ type, keyData }) => !before.inputs[index]?.get(type, keyData))
      .map(({ value }) => hex(value)),
  );

/** What the workers do of payments. */
export const paymentJobs = { 'payment.addSignatures': addSignatures };
export type PaymentJobs = typeof paymentJobs;
