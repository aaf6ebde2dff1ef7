/** Whether a vote is the holder's: by the keys and the address in the snapshot, or a key that was enrolled for it later. */
import { evidenceKey, evidenceProblem } from '../audit-log/request-evidence.ts';
import { DomainError } from '../errors.ts';
import { contentDigest } from '../request-signatures/content-digest.ts';
import { CLOCK_SKEW_SECONDS, MAX_AGE_SECONDS, SIGNATURE_TAG } from '../request-signatures/signature-rule.ts';
import { parsePublicJwk, thumbprintOf } from '../request-signatures/signing-algorithm.ts';
import type { ProposalStatement, SnapshotLeaf, VoteProof, VoteStatement } from './export-file.ts';
import type { EnrolledKey } from './recount-records.ts';
import { RecountRefused } from './recount-refused.ts';
import { signedTextProblem } from './signed-text.ts';
import { voteText } from './vote-text.ts';

export interface Voter {
  readonly holderId: string;
  readonly address: string;
  readonly keys: SnapshotLeaf['keys'];
}

type RequestProof = Extract<VoteProof, { kind: 'request' }>;

export const votePath = (proposalId: string): string => `/v1/governance/proposals/${proposalId}/vote`;

/** `keys`: whose each key of the snapshot is. */
export function createCastVerifier(
  { dao, network, proposal_id: proposalId, snapshot, expires_at: expiresAt }: ProposalStatement,
  { keys, enrolled }: { keys: ReadonlyMap<string, string>; enrolled: ReadonlyMap<string, EnrolledKey> },
) {
  // Clocks of replicas differ.
  const closesAt = Date.parse(expiresAt) / 1000 + MAX_AGE_SECONDS;
  const used = new Map<string, string>();
  /** Unix seconds, of each holder's last signed request. */
  const lastSigned = new Map<string, number>();

  function keyOf({ key_id: keyId }: RequestProof, { holderId, keys: own }: Voter, castAt: string, place: string) {
    const owner = keys.get(keyId) ?? enrolled.get(keyId)?.holderId;
    if (owner !== holderId)
      throw new RecountRefused(
        owner === undefined
          ? `it is signed by the key ${keyId}, which is nobody’s in the snapshot and not shown to be enrolled since`
          : `it is signed by the key ${keyId} of another holder, ${owner}, and not of ${holderId}`,
        place,
      );
    const later = enrolled.get(keyId);
    const inSnapshot = own.find(({ key_id }) => key_id === keyId);
    if (inSnapshot === undefined && later !== undefined && later.at > Date.parse(castAt) + CLOCK_SKEW_SECONDS * 1000)
      throw new RecountRefused(`its key ${keyId} was enrolled after it was cast`, place);
    const jwk = jwkOf(inSnapshot?.jwk ?? later?.jwk);
    if (jwk === null || thumbprintOf(jwk) !== keyId)
      throw new RecountRefused(`the key ${keyId} is not the one that its id is of`, place);
    return evidenceKey(jwk);
  }

  function checkRequest(cast: VoteStatement, proof: RequestProof, voter: Voter, place: string): void {
    const key = keyOf(proof, voter, cast.cast_at, place);
    const said = parametersOf(proof.base);
    const entry = {
      ...{ method: 'POST', path: votePath(proposalId), digest: contentDigest(Buffer.from(proof.body)) },
      signature: { base: proof.base, value: proof.value, key_id: proof.key_id, nonce: said.nonce ?? '' },
    };
    const path = /^"@path": (.*)$/m.exec(proof.base)?.[1];
    if (path !== undefined && path !== entry.path)
      throw new RecountRefused(`its signature is of a request to ${path}: of another proposal’s vote`, place);
    const problem = evidenceProblem(entry, key);
    if (problem !== null)
      throw new RecountRefused(`${problem}: it was changed, or is no vote of ${voter.holderId}`, place);
    if (said.tag !== SIGNATURE_TAG || said.created === undefined || said.nonce === undefined)
      throw new RecountRefused('its signature is for another service', place);
    if (Number(said.created) > closesAt) throw new RecountRefused('it was signed after the proposal expired', place);
    const signed = Number(said.created);
    if (signed > Date.parse(cast.cast_at) / 1000 + CLOCK_SKEW_SECONDS)
      throw new RecountRefused('it was signed after it was cast', place);
    // A vote that was replaced must not come back as the later one.
    if (signed < (lastSigned.get(voter.holderId) ?? 0))
      throw new RecountRefused(`it was signed before the vote of ${voter.holderId} that it replaces`, place);
    lastSigned.set(voter.holderId, signed);
    const once = `${proof.key_id} ${said.nonce}`;
    if (used.has(once)) throw new RecountRefused(`the same signed request is ${used.get(once)}: it counts once`, place);
    used.set(once, place);
    if (!asksFor(proof.body, cast))
      throw new RecountRefused(`it counts as ${cast.power} ${cast.vote}, and the signed request says otherwise`, place);
  }

  function checkMessage(cast: VoteStatement, signature: string, { address, holderId }: Voter, place: string): void {
    const claim = { dao, network, proposalId, vote: cast.vote, power: BigInt(cast.power), revision: cast.revision };
    const text = voteText({ ...claim, snapshot: snapshot.root });
    let problem: string | null;
    try {
      problem = signedTextProblem({ address, network, text }, signature);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      problem = `${holderId} had no Bitcoin address at the snapshot`;
    }
    if (problem !== null)
      throw new RecountRefused(
        `the signature by ${address} does not hold for this vote on this proposal: ${problem}`,
        place,
      );
  }

  return {
    /** Throws RecountRefused. */
    check(cast: VoteStatement, voter: Voter, place: string): void {
      if (cast.proof.kind === 'request') checkRequest(cast, cast.proof, voter, place);
      if (cast.proof.kind === 'message') checkMessage(cast, cast.proof.signature, voter, place);
    },
  };
}

function jwkOf(value: unknown) {
  try {
    return parsePublicJwk(value);
  } catch {
    return null;
  }
}

/** Whether the body of a signed request asks for this vote. A byte order mark is passed over, as where requests are read. */
export function asksFor(body: string, { vote, power }: Pick<VoteStatement, 'vote' | 'power'>): boolean {
  try {
    const asked = JSON.parse(body.replace(/^\uFEFF/, ''));
    return asked.vote === vote && String(asked.voting_power) === power;
  } catch {
    return false;
  }
}

/** Unix seconds: when a request was signed, by the base of its signature. */
export const signedAt = (base: string): number => Number(parametersOf(base).created);

const PARAMETER = /;([a-z*][a-z0-9_.*-]*)=("(?:[^"\\]|\\.)*"|[^;]*)/g;

/** Those of the signature (RFC 9421 §2.3): the last line of its base, behind the list of what it covers. */
function parametersOf(base: string): Readonly<Record<string, string | undefined>> {
  const line = base.slice(base.lastIndexOf('\n') + 1);
  const given = line.slice(line.indexOf(')') + 1);
  return Object.fromEntries(
    [...given.matchAll(PARAMETER)].map(([, name, value = '']) => [
      name,
      value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value,
    ]),
  );
}
