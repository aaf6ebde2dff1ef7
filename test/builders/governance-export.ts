/** Exports of a proposal that a service could have made: of holders with key pairs of their own, who delegate and vote at random. */
import { createPrivateKey, generateKeyPairSync, hash, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { governance } from '../../src/cli/governance.ts';
import { canonicalJson } from '../../src/core/audit-log/canonical-json.ts';
import {
  endCommitment,
  keyCommitment,
  NO_VOTES,
  proposalCommitment,
  votesCommitment,
  withVote,
} from '../../src/core/governance/commitments.ts';
import type {
  ProposalStatement,
  SnapshotLeaf,
  VoteProof,
  VoteStatement,
} from '../../src/core/governance/export-file.ts';
import { makeSnapshot } from '../../src/core/governance/snapshot.ts';
import { voteText } from '../../src/core/governance/vote-text.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { checkpointText, signNote, verifierText } from '../../src/core/merkle/signed-note.ts';
import { leafHash, rootOf } from '../../src/core/merkle/tree-hash.ts';
import { inclusionPath } from '../../src/core/merkle/tree-ranges.ts';
import { signMessage } from '../../src/core/messages/sign-message.ts';
import { decodeAddress } from '../../src/core/relay-policy/address.ts';
import { contentDigest } from '../../src/core/request-signatures/content-digest.ts';
import { type PublicJwk, thumbprintOf } from '../../src/core/request-signatures/signing-algorithm.ts';

const DAO = 'acc_1';
export const CREATED = Date.parse('2026-11-28T09:00:00Z');
export const EXPIRES = Date.parse('2026-12-01T09:00:00Z');
/** Private key 1, whose P2WPKH address on regtest this is. */
export const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const ADDRESS_KEY = '01'.padStart(64, '0');

export interface Pair {
  readonly keyId: string;
  readonly jwk: PublicJwk;
  readonly key: KeyObject;
}
export function pair(): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  const jwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x: x! };
  const key = createPrivateKey({ key: privateKey.export({ format: 'jwk' }) as JsonWebKey, format: 'jwk' });
  return { keyId: thumbprintOf(jwk), jwk, key };
}

export interface Holder {
  readonly id: string;
  readonly pair: Pair;
  readonly address: string;
  /** In units of 10^-8. */
  readonly units: bigint;
  readonly delegations: readonly { readonly to: string; readonly units: bigint }[];
}

export const holderId = (at: number): string => `key_${String(at).padStart(22, '0')}`;

/** `[holder, delegate, units]` each, the oldest first. */
export function statementOf(holders: readonly Holder[], proposalId = 'prp_1') {
  const snapshot = makeSnapshot({
    holders: [JSON.stringify(holders.map(({ id, address, units }) => [id, address, String(units)]))],
    delegations: holders.map(({ id, delegations }) =>
      JSON.stringify(delegations.map(({ to, units }, at) => [`dlg_${id}_${at}`, id, to, String(units), at])),
    ),
    keys: [JSON.stringify(holders.map(({ id, pair: { keyId, jwk } }) => [keyId, id, JSON.stringify(jwk)]))],
    rotations: [],
  })!;
  const statement: ProposalStatement = {
    ...{ dao: DAO, network: 'regtest', proposal_id: proposalId, proposer_id: holders[0]!.id, type: 'text' },
    ...{ title: 'A title', description: 'What for', parameters: { z: 1, a: [2] } },
    settings: { quorum_percent: 20, threshold_percent: 50, timelock_hours: 24 },
    snapshot: { seq: 7, root: snapshot.root, holders: snapshot.holders },
    ...{ created_at: new Date(CREATED).toISOString(), expires_at: new Date(EXPIRES).toISOString() },
  };
  const leaves = snapshot.pieces
    .flatMap(({ leaves }) => leaves.trimEnd().split('\n'))
    .map((text) => JSON.parse(text) as SnapshotLeaf);
  return { statement, leaves, totalPower: snapshot.totalPower };
}

type Choice = Pick<VoteStatement, 'vote' | 'power'>;
let nonces = 0;

/** A signed request, as the service keeps it. */
export function requestProof({ vote, power }: Choice, by: Pair, proposalId = 'prp_1', at = CREATED): VoteProof {
  const body = `{"vote":"${vote}","voting_power":${power}}`;
  const covered = {
    '@method': 'POST',
    '@authority': 'localhost:3000',
    '@path': `/v1/governance/proposals/${proposalId}/vote`,
    '@query': '?',
    'content-type': 'application/json',
    'content-digest': contentDigest(Buffer.from(body)),
  };
  const names = Object.keys(covered).map((name) => `"${name}"`);
  const parameters = `;created=${Math.floor(at / 1000)};keyid="${by.keyId}";nonce="n${++nonces}";tag="ashlar"`;
  const lines = Object.entries(covered).map(([name, value]) => `"${name}": ${value}`);
  const base = [...lines, `"@signature-params": (${names.join(' ')})${parameters}`].join('\n');
  const value = sign(null, Buffer.from(base), by.key).toString('base64');
  return { kind: 'request', key_id: by.keyId, base, value, body };
}

/** By the key of ADDRESS. */
export function messageProof(statement: ProposalStatement, { vote, power }: Choice, revision = 1): VoteProof {
  const { dao, network, proposal_id: proposalId, snapshot } = statement;
  const text = voteText({ dao, network, proposalId, vote, power: BigInt(power), revision, snapshot: snapshot.root });
  const script = Buffer.from(decodeAddress(ADDRESS, 'regtest').scriptPubKey, 'hex');
  const request = { script, message: Buffer.from(text), key: ADDRESS_KEY, format: null, network: 'regtest' as const };
  return {
    kind: 'message',
    signature: signMessage(request, { ecc, randomBytes: (size) => Buffer.alloc(size, 1) }).signature,
  };
}

export interface Told {
  readonly statement: ProposalStatement;
  readonly leaves: readonly SnapshotLeaf[];
  readonly casts: readonly VoteStatement[];
  /** null: it is active. */
  readonly end: 'passed' | 'rejected' | 'cancelled' | null;
  /** Enrolled since the snapshot. */
  readonly later?: readonly { readonly pair: Pair; readonly holderId: string }[];
  readonly tally: Record<'votes_for' | 'votes_against' | 'total_power', string> & { readonly voters: number };
}

const NOTE = pair();

/** The lines of the file that tells of `shown`, where the audit log has what `logged` says. */
export function exportOf(logged: Told, shown: Told = logged): string[] {
  const { statement, end, later = [] } = logged;
  const votes = logged.casts.reduce(withVote, NO_VOTES);
  const commitments: { commitment: string; jwk?: PublicJwk }[] = [
    { commitment: proposalCommitment(statement) },
    ...later.map((one) => ({
      commitment: keyCommitment({ keyId: one.pair.keyId, holderId: one.holderId }),
      jwk: one.pair.jwk,
    })),
    ...(end === null
      ? [{ commitment: votesCommitment(statement.proposal_id, votes) }]
      : [{ commitment: endCommitment(statement.proposal_id, end, votes) }]),
  ];
  const entries = commitments.map(({ commitment }) =>
    canonicalJson({ log: DAO, outcome: 'done', time: new Date(CREATED).toISOString(), commitment }),
  );
  // Others stand between and behind.
  const log = entries.flatMap((entry, at) => [entry, `{"other":${at}}`]);
  const hashes = log.map((entry) => leafHash(Buffer.from(entry)));
  const root = rootOf(hashes);
  const verifier = { name: `ashlar/1/${DAO}`, publicKey: Buffer.from((NOTE.jwk as { x: string }).x, 'base64url') };
  const text = checkpointText({ origin: verifier.name, size: log.length, root });
  const note = signNote(text, verifier, (message) => sign(null, message, NOTE.key));
  const records = commitments.map(({ jwk }, at) => ({
    ...{ type: 'record', position: at * 2, entry: entries[at], jwk },
    proof: inclusionPath(at * 2, log.length).map(({ start, end }) => rootOf(hashes.slice(start, end)).toString('hex')),
  }));
  const ended = shown.end === null ? 'active' : shown.end === 'passed' ? 'passed' : 'rejected';
  return [
    { type: 'proposal', format: 'ashlar-governance-1', statement: shown.statement },
    { type: 'head', log: DAO, size: log.length, root: root.toString('hex'), note, verifiers: [verifierText(verifier)] },
    ...records,
    ...shown.leaves.map((leaf) => ({ type: 'leaf', leaf })),
    ...shown.casts.map((cast) => ({ type: 'cast', cast })),
    {
      ...{ type: 'tally', status: ended, cancelled: shown.end === 'cancelled', ...shown.tally },
      exported_at: new Date(shown.end === null ? CREATED + 1000 : EXPIRES).toISOString(),
    },
  ].map((line) => JSON.stringify(line));
}
/** That signed the head of each. */
export const NOTE_KEY = Buffer.from((NOTE.jwk as { x: string }).x, 'base64url');

export const castOf = (
  number: number,
  of: Omit<VoteStatement, 'number' | 'revision' | 'cast_at'> & Partial<VoteStatement>,
): VoteStatement => ({
  ...{ number, revision: 1, cast_at: new Date(CREATED + number).toISOString() },
  ...of,
});

/** A number from 0 below `end`, the same in each run. */
export const random = (seed: string, end: number): number => hash('sha256', seed, 'buffer').readUInt32BE(0) % end;

/** What `ashlar governance verify` says of these lines. */
export async function verifyFile(lines: readonly string[], ...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-recount-'));
  const file = join(folder, 'export.ndjson');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const said: Record<'out' | 'err', string[]> = { out: [], err: [] };
  const terminal = { out: (text: string) => said.out.push(text), err: (text: string) => said.err.push(text) };
  const code = await governance({} as never, ['verify', file, ...options], terminal as never);
  rmSync(folder, { recursive: true });
  return { code, json: JSON.parse(said.out.join('')), err: said.err.join('\n') };
}
