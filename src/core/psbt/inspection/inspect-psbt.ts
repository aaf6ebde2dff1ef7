import { hex } from '../../bytes.ts';
import type { Network } from '../../network.ts';
import { scriptAddress } from '../../relay-policy/script-address.ts';
import { outputKind } from '../../relay-policy/standard-scripts.ts';
import {
  bip32Derivations,
  previousOutpoint,
  requiredHeightLocktime,
  requiredTimeLocktime,
  sequenceOf,
  sighashTypeOf,
  tapBip32Derivations,
} from '../codec/input-fields.ts';
import { GLOBAL, INPUT, MODIFIABLE, OUTPUT } from '../codec/key-types.ts';
import { hasScript, outputAmount, outputScript } from '../codec/output-fields.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { isObstacle } from '../signing/spent-part.ts';
import { fallbackLocktime, transactionVersion, unsignedBytes, unsignedTxid } from '../transaction-of.ts';
import { type CheckBudget, createCheckBudget } from './check-budget.ts';
import { inputProgress } from './input-progress.ts';
import { createOwnScripts, type OwnScripts } from './own-scripts.ts';
import { type PsbtCheck, psbtChecks } from './psbt-checks.ts';
import { type InputFacts, type PsbtFacts, psbtFacts } from './psbt-facts.ts';
import type { InputView, KeyOriginView, OutputView, PsbtView } from './psbt-view.ts';
import { signatureViews } from './signature-views.ts';

export interface InspectionRequest {
  readonly network: Network;
  /** Of the own wallet, public: what proves that an output is change. */
  readonly descriptors?: readonly string[];
  /** Signatures (`signatureName`) that need no check: they were checked when they were made. */
  readonly known?: ReadonlySet<string>;
}

const NOTHING_KNOWN: ReadonlySet<string> = new Set();

/**
 * What a PSBT says, for people: every signature checked, every script held against its output, change proved by descriptors. Never throws
 * for what the PSBT says; a bad descriptor throws as createOwnScripts does.
 */
export function inspectPsbt(psbt: PsbtV2, { network, descriptors = [], known = NOTHING_KNOWN }: InspectionRequest) {
  const facts = psbtFacts(psbt);
  const own = createOwnScripts(descriptors, network);
  const budget = createCheckBudget(10 + psbt.inputs.length * 41 + psbt.outputs.length * 40);
  const inputs = facts.inputs.map((input) => inputView(input, { facts, own, budget, known, network }));
  const outputs = psbt.outputs.map((output) => outputView(output, { own, network }));
  const checks = psbtChecks(facts, inputs);
  const flags = psbt.global.get(GLOBAL.TX_MODIFIABLE)?.[0] ?? 0;
  const view: PsbtView = {
    psbt,
    complete: facts.inputs.length > 0 && facts.inputs.every(({ finalized }) => finalized),
    feeSats: facts.feeSats,
    feeVerified: facts.inputs.length > 0 && facts.inputs.every(({ verified }) => verified),
    unsignedTxid: unsignedTxid(psbt),
    unsignedTransaction: psbt.inputs.length === 0 ? null : unsignedBytes(psbt),
    locktime: facts.locktime,
    fallbackLocktime: fallbackLocktime(psbt),
    txVersion: transactionVersion(psbt),
    txModifiable: {
      inputs: (flags & MODIFIABLE.INPUTS) !== 0,
      outputs: (flags & MODIFIABLE.OUTPUTS) !== 0,
      hasSighashSingle: (flags & MODIFIABLE.HAS_SIGHASH_SINGLE) !== 0,
    },
    inputs,
    outputs,
    warnings: [
      ...checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning').map(sentenceOf),
      ...(descriptors.length > 0 ? unproved(outputs) : []),
      ...(own.exhausted ? ['some outputs were not held against the descriptors: there are too many'] : []),
      ...(budget.spent ? ['some signatures were not checked: there are too many'] : []),
    ],
  };
  return { view, facts, checks };
}

const sentenceOf = ({ map, index, detail }: PsbtCheck): string =>
  map === null ? detail : `${map} ${index}: ${detail}`;

const unproved = (outputs: readonly OutputView[]): string[] =>
  outputs.flatMap(({ change }, index) =>
    change === 'unproved'
      ? [`output ${index}: the PSBT gives keys of a wallet for it, and no descriptor proves that it is change`]
      : [],
  );

interface InputTools {
  readonly facts: PsbtFacts;
  readonly own: OwnScripts;
  readonly budget: CheckBudget;
  readonly known: ReadonlySet<string>;
  readonly network: Network;
}

function inputView(input: InputFacts, { facts, own, budget, known, network }: InputTools): InputView {
  const { map, spent, finalized } = input;
  const script = isObstacle(spent) ? null : spent.script;
  const redeemScript = map.get(INPUT.REDEEM_SCRIPT);
  const derivations = keyOrigins(map, INPUT.BIP32_DERIVATION, INPUT.TAP_BIP32_DERIVATION);
  const byKey = new Map(derivations.map((origin) => [origin.publicKey, origin]));
  const signatures = finalized ? [] : signatureViews(input, byKey, { hashes: facts.hashes, budget, known });
  return {
    outpoint: previousOutpoint(map),
    sequence: sequenceOf(map),
    requiredTimeLocktime: requiredTimeLocktime(map),
    requiredHeightLocktime: requiredHeightLocktime(map),
    address: script && scriptAddress(script, network),
    amountSats: input.amountSats,
    amountVerified: input.verified,
    scriptPubKey: script,
    scriptType: script && scriptTypeOf(script, redeemScript),
    redeemScript,
    witnessScript: map.get(INPUT.WITNESS_SCRIPT),
    sighashType: sighashTypeOf(map),
    derivations,
    signatures,
    ...inputProgress(input, signatures, byKey),
    finalized,
    derivedBy: script && own.find(script, lastSteps(derivations)),
  };
}

function outputView(map: PsbtMap, { own, network }: { own: OwnScripts; network: Network }): OutputView {
  const script = hasScript(map) ? outputScript(map) : null;
  const redeemScript = map.get(OUTPUT.REDEEM_SCRIPT);
  const derivations = keyOrigins(map, OUTPUT.BIP32_DERIVATION, OUTPUT.TAP_BIP32_DERIVATION);
  const derivedBy = script && own.find(script, lastSteps(derivations));
  return {
    address: script && scriptAddress(script, network),
    amountSats: outputAmount(map),
    scriptPubKey: script,
    scriptType: script && scriptTypeOf(script, redeemScript),
    redeemScript,
    witnessScript: map.get(OUTPUT.WITNESS_SCRIPT),
    derivations,
    change: derivedBy ? 'proved' : derivations.length > 0 ? 'unproved' : null,
    derivedBy,
  };
}

function keyOrigins(map: PsbtMap, type: number, tapType: number): KeyOriginView[] {
  return [
    ...bip32Derivations(map, type).map(({ publicKey, fingerprint, path }) => ({
      publicKey: hex(publicKey),
      fingerprint,
      path,
      leafHashes: null,
    })),
    ...tapBip32Derivations(map, tapType).map(({ xOnlyKey, leafHashes, fingerprint, path }) => ({
      publicKey: hex(xOnlyKey),
      fingerprint,
      path,
      leafHashes: leafHashes.map(hex),
    })),
  ];
}

const lastSteps = (derivations: readonly KeyOriginView[]): number[] =>
  derivations.flatMap(({ path }) => path.slice(-1));

/** With what is nested in a P2SH, where that is told. */
function scriptTypeOf(script: Uint8Array, redeemScript: Uint8Array | null): string {
  const kind = outputKind(script);
  if (kind !== 'p2sh' || redeemScript === null) return kind;
  const nested = outputKind(redeemScript);
  return nested === 'p2wpkh' || nested === 'p2wsh' ? `p2sh-${nested}` : kind;
}
