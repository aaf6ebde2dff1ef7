/** Another party of a wallet: a seed of its own, its public keys for descriptors, and signatures by the project's own signer. */
import { createHash, randomBytes } from 'node:crypto';
import { ecc } from '../../src/core/keys/ecc.ts';
import { networkParameters } from '../../src/core/network.ts';
import { psbtFromText, psbtToBase64 } from '../../src/core/psbt/codec/psbt-text.ts';
import { toVersion0, toVersion2 } from '../../src/core/psbt/construction/migrate.ts';
import { extractTransaction } from '../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../src/core/psbt/psbt.ts';
import { signPsbt } from '../../src/core/psbt/signing/sign-psbt.ts';
import { type PsbtSigner, signerFromKeyText } from '../../src/core/psbt/signing/signers.ts';
import { accountKey, bip32 } from '../../src/core/wallets/hd-key.ts';
import { noteSecret } from '../secrets/collected.ts';
import { addMusigNonces, signMusigRound } from './musig-rounds.ts';

const REGTEST = networkParameters('regtest');

export interface Cosigner {
  readonly fingerprint: string;
  /** Extended private key of the master, for other signers. */
  readonly master: string;
  /** `[fingerprint/path]tpub`, path as hardened steps. */
  key(...path: number[]): string;
  /** `[fingerprint/48h/1h/0h/2h]tpub…` */
  readonly multisigKey: string;
  /** Signs a PSBT (version 2, base64) and answers it. */
  sign(psbt: string): string;
  /** MuSig2's first round: the PSBT with nonces, and the second round with that one's secret nonces. */
  nonces(psbt: string): { readonly psbt: string; sign(psbt: string): string };
  /** Answers version 0, as Bitcoin Core would. */
  signAsVersion0(psbt: string): string;
}

export function cosigner(name: string): Cosigner {
  const seed = createHash('sha256').update(`cosigner ${name}`).digest();
  const master = bip32.fromSeed(seed, REGTEST).toBase58();
  noteSecret('cosigner key', master);
  const key = (...path: number[]): string => {
    const account = accountKey(seed, path, 'regtest');
    return `${account.origin}${account.node.neutered().toBase58()}`;
  };
  const signed = (text: string): PsbtV2 => {
    const signer = signerFromKeyText(master, 'regtest');
    try {
      return signPsbt(psbtFromText(text) as PsbtV2, signer, { ecc, randomBytes }).psbt;
    } finally {
      signer.dispose();
    }
  };
  return {
    fingerprint: key(0).slice(1, 9),
    master,
    key,
    multisigKey: key(48, 1, 0, 2),
    sign: (text) => psbtToBase64(signed(text)),
    nonces(text) {
      const withSigner = <T>(use: (signer: PsbtSigner) => T): T => {
        const signer = signerFromKeyText(master, 'regtest');
        try {
          return use(signer);
        } finally {
          signer.dispose();
        }
      };
      const read = (given: string) => psbtFromText(given) as PsbtV2;
      const { psbt, nonces } = withSigner((signer) => addMusigNonces(read(text), signer, { ecc, randomBytes }));
      return {
        psbt: psbtToBase64(psbt),
        sign: (given) => psbtToBase64(withSigner((signer) => signMusigRound(read(given), signer, nonces)).psbt),
      };
    },
    signAsVersion0: (text) => psbtToBase64(toVersion0(signed(text))),
  };
}

/** The network transaction of a PSBT whose signatures suffice, of either version. */
export function extracted(text: string): { raw: Buffer; txid: string } {
  const psbt = psbtFromText(text);
  return extractTransaction(finalizePsbt(psbt.version === 0 ? toVersion2(psbt) : psbt).psbt);
}
