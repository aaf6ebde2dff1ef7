import { ecc } from '../../keys/ecc.ts';
import type { Network } from '../../network.ts';
import type { SighashName } from '../../scripts/sighash-type.ts';
import { INPUT } from '../codec/key-types.ts';
import { signatureName } from '../inspection/signature-views.ts';
import type { PsbtV2 } from '../psbt.ts';
import { type SignedPsbt, signPsbt } from '../signing/sign-psbt.ts';
import { signerFromKeyText } from '../signing/signers.ts';
import { parsePsbtField } from './parse-psbt-field.ts';
import { inspectToData } from './psbt-data.ts';

/** Whatever job needs them: they are no part of what is given. */
export interface JobTools {
  readonly network: Network;
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface SigningParams {
  readonly psbt: string;
  /** The key's text in UTF-8, in memory of its own: overwritten here, whatever comes of it. */
  readonly key: Uint8Array;
  readonly allowSighash: readonly SighashName[];
}

/** Throws as signerFromKeyText and signPsbt do. */
export function signGiven({ psbt: text, key, allowSighash }: SigningParams, tools: JobTools) {
  try {
    const psbt = parsePsbtField(text);
    const signer = signerFromKeyText(new TextDecoder().decode(key), tools.network);
    try {
      const signed = signPsbt(psbt, signer, { ecc, randomBytes: tools.randomBytes }, { allowSighash });
      const psbtData = inspectToData(signed.psbt, { network: tools.network, known: signaturesMade(psbt, signed) });
      return { psbtData, signedInputs: [...signed.signedInputs] };
    } finally {
      signer.dispose();
    }
  } finally {
    key.fill(0);
  }
}

const SIGNATURES = [INPUT.PARTIAL_SIG, INPUT.TAP_KEY_SIG, INPUT.TAP_SCRIPT_SIG] as const;

/** The signer checks each signature that it makes: the view need not do it again. */
function signaturesMade(before: PsbtV2, { psbt, signedInputs }: SignedPsbt): Set<string> {
  const made = new Set<string>();
  for (const index of signedInputs) {
    const [was, is] = [before.inputs[index], psbt.inputs[index]];
    for (const { type, keyData, value } of SIGNATURES.flatMap((one) => is?.all(one) ?? [])) {
      const old = was?.get(type, keyData) ?? null;
      if (old === null || Buffer.compare(old, value) !== 0) made.add(signatureName(index, value));
    }
  }
  return made;
}
