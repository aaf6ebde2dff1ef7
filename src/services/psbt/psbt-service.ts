/** PSBTs that callers send: nothing of them is kept. */
import type { ChainSource } from '../../chain/chain-source.ts';
import { ecc } from '../../core/keys/ecc.ts';
import type { Network } from '../../core/network.ts';
import { inspectPsbt } from '../../core/psbt/inspect-psbt.ts';
import { createCheckBudget } from '../../core/psbt/inspection/check-budget.ts';
import { finalChecks } from '../../core/psbt/inspection/final-checks.ts';
import type { PsbtCheck } from '../../core/psbt/inspection/psbt-checks.ts';
import type { PsbtView } from '../../core/psbt/inspection/psbt-view.ts';
import { signatureName } from '../../core/psbt/inspection/signature-views.ts';
import { INPUT } from '../../core/psbt/key-types.ts';
import type { PsbtV2 } from '../../core/psbt/psbt.ts';
import type { PsbtInputFacts } from '../../core/psbt/psbt-draft.ts';
import { type SignedPsbt, signPsbt } from '../../core/psbt/sign-psbt.ts';
import { signerFromKeyText } from '../../core/psbt/signers.ts';
import type { SighashName } from '../../core/scripts/sighash-type.ts';
import { chainChecks } from './against-chain.ts';
import { previousFacts } from './previous-transactions.ts';
import { requireUsualSize } from './psbt-size.ts';

export interface PsbtService {
  readonly network: Network;
  /** Throws `invalid_descriptor`, `wrong_network` or `unsupported` for a descriptor; `too_large`. */
  inspect(psbt: PsbtV2, descriptors?: readonly string[]): PsbtView;
  /** Signs what the key can sign; nothing of the key outlives the call. Throws as signerFromKeyText and signPsbt do. */
  sign(psbt: PsbtV2, key: string, allowSighash: readonly SighashName[]): { view: PsbtView; signedInputs: number[] };
  verify(psbt: PsbtV2, options: VerifyOptions): Promise<VerifiedPsbt>;
  /** What the chain knows of the outputs that the inputs spend, by input index. */
  previousFacts(psbt: PsbtV2): Promise<Map<number, PsbtInputFacts>>;
}

export interface VerifyOptions {
  readonly descriptors: readonly string[];
  readonly againstChain: boolean;
}

export interface VerifiedPsbt {
  readonly view: PsbtView;
  /** Nothing failed. */
  readonly valid: boolean;
  readonly checks: readonly PsbtCheck[];
}

export function createPsbtService(deps: {
  chain: Pick<ChainSource, 'transaction' | 'utxo'>;
  network: Network;
  randomBytes: (size: number) => Uint8Array;
}): PsbtService {
  const { chain, network, randomBytes } = deps;
  const inspect = (psbt: PsbtV2, descriptors: readonly string[] = []) => {
    requireUsualSize(psbt);
    return inspectPsbt(psbt, { network, descriptors });
  };

  return {
    network,
    inspect: (psbt, descriptors) => inspect(psbt, descriptors).view,

    sign(psbt, key, allowSighash) {
      const signer = signerFromKeyText(key, network);
      try {
        const signed = signPsbt(psbt, signer, { ecc, randomBytes }, { allowSighash });
        const { view } = inspectPsbt(signed.psbt, { network, known: signaturesMade(psbt, signed) });
        return { view, signedInputs: [...signed.signedInputs] };
      } finally {
        signer.dispose();
      }
    },

    async verify(psbt, { descriptors, againstChain }) {
      const { view, facts, checks } = inspect(psbt, descriptors);
      const budget = createCheckBudget(10 + psbt.inputs.length * 41 + psbt.outputs.length * 40);
      const all = [...checks, ...finalChecks(facts, budget), ...(againstChain ? await chainChecks(facts, chain) : [])];
      return { view, checks: all, valid: all.every(({ verdict }) => verdict !== 'failed') };
    },

    previousFacts: (psbt) => previousFacts(psbt, chain),
  };
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
