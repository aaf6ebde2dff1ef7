/** Takes signatures that somebody made over to the PSBT that we gave out, each checked first; nothing else of theirs is believed. */
import type { ParsedOutput } from '../../blocks/transaction.ts';
import { hex } from '../../bytes.ts';
import { DomainError } from '../../errors.ts';
import { STANDARD_FLAGS } from '../../scripts/interpreter/script-flags.ts';
import { verifySpendBy } from '../../scripts/interpreter/verify-spend.ts';
import { keysPushedBy } from '../../scripts/script-keys.ts';
import { createSignatureHasher } from '../../scripts/signature-hash.ts';
import { finalScriptWitness, isFinalized, isSigned, spentOutput } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import type { InputSpend } from '../signing/input-spend.ts';
import { openSigningView } from '../signing/signing-view.ts';
import { isObstacle, type Obstacle } from '../signing/spent-part.ts';
import { uniqueId, unsignedTransaction, unsignedTxid } from '../transaction-of.ts';
import { checkMusig } from './check-musig.ts';
import { checkSignatures } from './check-signatures.ts';
import { mismatch, refuseOpenSighash } from './refusals.ts';

const PREIMAGES = [INPUT.RIPEMD160, INPUT.SHA256, INPUT.HASH160, INPUT.HASH256] as const;
/** What miniscript asks for. */
const PREIMAGE_SIZE = 32;
const FINAL = [INPUT.FINAL_SCRIPTSIG, INPUT.FINAL_SCRIPTWITNESS] as const;

/**
 * `own` with the signatures, MuSig2 nonces and partial signatures, preimages and final scripts of `given` that it lacks. `musigKey` is the
 * service's own among MuSig2's participants, whose nonces nobody else makes. Throws `psbt_mismatch` where it is another
 * transaction's, or a signature is not valid or of a key that cannot sign its input; `unsafe_to_sign` where one leaves the transaction
 * open to changes (its sighash type is neither ALL nor DEFAULT); `nothing_signed` where there is nothing new. Each names the input.
 */
export function mergeSignatures(own: PsbtV2, given: PsbtV2, musigKey: Uint8Array | null = null): PsbtV2 {
  refuseOther(own, given);
  const view = openSigningView(own);
  const finals = finalVerifier(own);
  let added = 0;
  const inputs = own.inputs.map((input, index) => {
    if (isFinalized(input)) return input;
    const theirs = given.inputs[index] as PsbtMap;
    const check = { view, index, input, theirs };
    const entries = isFinalized(theirs)
      ? finals(theirs, index)
      : [...checkSignatures(check), ...checkMusig(check, musigKey), ...newPreimages(input, theirs, view.spend(index))];
    if (entries.length === 0) return input;
    added += entries.length;
    const merged = input.clone();
    merged.setAll(entries);
    return merged;
  });
  if (added === 0) throw nothingNew(given);
  return { ...own, inputs };
}

function refuseOther(own: PsbtV2, given: PsbtV2): void {
  if (own.inputs.length === given.inputs.length && uniqueId(own) === uniqueId(given)) {
    if (unsignedTxid(own) === unsignedTxid(given)) return;
    throw mismatch("the PSBT's sequences are not those that were given out: sign them as they are");
  }
  throw mismatch('the PSBT is of another transaction: its inputs, outputs, version or locktime differ');
}

/** Those that a script of the input asks for: anything else would be kept and handed on, and nobody could use it. */
function newPreimages(input: PsbtMap, theirs: PsbtMap, spend: InputSpend | Obstacle): PsbtEntry[] {
  const fresh = PREIMAGES.flatMap((type) => theirs.all(type)).filter(
    ({ type, keyData, value }) => value.length === PREIMAGE_SIZE && input.get(type, keyData) === null,
  );
  if (fresh.length === 0 || isObstacle(spend)) return [];
  const scripts = spend.scheme === 'taproot' ? spend.leaves.map(({ script }) => script) : [spend.scriptCode];
  const hashes = new Set(scripts.flatMap((script) => [...keysPushedBy(script)]));
  return fresh.filter(({ keyData }) => hashes.has(hex(keyData)));
}

/** Checks final scripts, input after input, by running them. */
function finalVerifier(own: PsbtV2): (theirs: PsbtMap, index: number) => PsbtEntry[] {
  const unsigned = unsignedTransaction(own);
  const inputs = unsigned.inputs.map((input) => ({ ...input }));
  const hasher = createSignatureHasher(
    { ...unsigned, inputs },
    own.inputs.map((input) => spentOutput(input) as ParsedOutput),
  );
  return (theirs, index) => {
    const input = inputs[index] as (typeof inputs)[number];
    input.scriptSig = theirs.get(INPUT.FINAL_SCRIPTSIG) ?? new Uint8Array(0);
    input.witness = finalScriptWitness(theirs) ?? [];
    const observer = { signature: (hashType: number) => refuseOpenSighash(hashType, index), codeSeparator: () => {} };
    const verdict = verifySpendBy(hasher, index, STANDARD_FLAGS, { observer });
    if (!verdict.valid) throw mismatch(`input ${index}: its final scripts do not spend its coin: ${verdict.reason}`);
    return FINAL.flatMap((type) => theirs.all(type));
  };
}

function nothingNew(given: PsbtV2): DomainError {
  return new DomainError(
    'nothing_signed',
    given.inputs.some((input) => isFinalized(input) || isSigned(input) || input.has(INPUT.MUSIG2_PUB_NONCE))
      ? 'all nonces and signatures of the PSBT are known already: each signer sends theirs once'
      : 'the PSBT has no signature: sign it first',
    { field: 'psbt' },
  );
}
