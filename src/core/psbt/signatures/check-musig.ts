import { hex, sameBytes } from '../../bytes.ts';
import { SIGHASH_DEFAULT } from '../../scripts/sighash-type.ts';
import { isPublicNonce, openSigningRound, type SigningRound } from '../../taproot/musig/signing-session.ts';
import { sighashTypeOf } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import { musigMessage } from '../musig/aggregate-musig.ts';
import { musigKeyData, publicNonceOf } from '../musig/musig-fields.ts';
import { type MusigTarget, musigTargets } from '../musig/musig-targets.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { isObstacle } from '../signing/spent-part.ts';
import type { InputCheck } from './check-signatures.ts';
import { foreign } from './refusals.ts';

/** One participant's part in one of the input's signatures. */
interface Share {
  readonly target: MusigTarget;
  readonly position: number;
  readonly participant: string;
}

/**
 * The public nonces and partial signatures that an input came back with and did not have before (BIP373). A nonce that was given stands, and
 * of `ownKey` (compressed; null: none) there are none but the service's. Each partial signature is verified, once all nonces are there, for
 * the sighash type that was given out. Throws `psbt_mismatch`, naming input and key.
 */
export function checkMusig(check: InputCheck, ownKey: Uint8Array | null): PsbtEntry[] {
  const { input, theirs, index, view } = check;
  const nonces = theirs.all(INPUT.MUSIG2_PUB_NONCE);
  const partials = theirs.all(INPUT.MUSIG2_PARTIAL_SIG);
  if (nonces.length + partials.length === 0) return [];
  const spend = view.spend(index);
  const targets = isObstacle(spend) || spend.scheme !== 'taproot' ? [] : musigTargets(input, spend, view.musig);
  const shares = sharesOf(targets);
  const known = input.clone();
  const added: PsbtEntry[] = [];
  const add = (entry: PsbtEntry): void => {
    added.push(entry);
    known.setAll([entry]);
  };
  for (const entry of nonces) {
    const { participant } = shareOf(check, shares, entry);
    const given = input.get(entry.type, entry.keyData);
    if (given === null) {
      if (ownKey !== null && participant === hex(ownKey))
        throw foreign(check, `a nonce of key ${participant}, which the service makes itself`);
      if (!isPublicNonce(entry.value)) throw foreign(check, `a malformed nonce of key ${participant}`);
      add(entry);
    } else if (!sameBytes(given, entry.value))
      throw foreign(
        check,
        `another nonce of key ${participant} than the one that was given before, and that stands: abandon the payment and make it again`,
      );
  }
  const rounds = new Map<MusigTarget, SigningRound>();
  for (const entry of partials) {
    const { target, position, participant } = shareOf(check, shares, entry);
    const given = input.get(entry.type, entry.keyData);
    if (given !== null && sameBytes(given, entry.value)) continue;
    const round = rounds.get(target) ?? openRound(check, known, target);
    rounds.set(target, round);
    view.musig.spend(1);
    if (!round.verifyPartial(position, entry.value))
      throw foreign(
        check,
        `a partial signature of key ${participant} that is not valid for this transaction and these nonces`,
      );
    add(entry);
  }
  return added;
}

function sharesOf(targets: readonly MusigTarget[]): Map<string, Share> {
  const shares = new Map<string, Share>();
  for (const target of targets)
    for (const [position, key] of target.participants.entries())
      shares.set(hex(musigKeyData(key, target)), { target, position, participant: hex(key) });
  return shares;
}

function shareOf(check: InputCheck, shares: ReadonlyMap<string, Share>, { keyData }: PsbtEntry): Share {
  const share = shares.get(hex(keyData));
  if (share) return share;
  const key = hex(keyData.subarray(0, 33));
  throw foreign(check, `a MuSig2 nonce or signature of key ${key}, which takes no such part in it`);
}

function openRound(check: InputCheck, known: PsbtMap, target: MusigTarget): SigningRound {
  const { view, index, input } = check;
  const { participants: publicKeys, tweaks, leafHash } = target;
  const nonces = publicKeys.map((key) => publicNonceOf(known, key, target));
  const message = musigMessage(view, index, sighashTypeOf(input) ?? SIGHASH_DEFAULT, leafHash);
  const missing = nonces.indexOf(null);
  if (missing >= 0 || message === null)
    throw foreign(
      check,
      `a partial signature before the nonce of key ${hex(publicKeys[missing] as Uint8Array)} is there`,
    );
  view.musig.spend(publicKeys.length);
  return openSigningRound({ publicKeys, tweaks, message }, nonces as Uint8Array[]);
}
