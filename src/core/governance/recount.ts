/** Counts the votes on a proposal anew, from its export alone, line by line: nothing that can be computed is believed. */
import { z } from 'zod';
import { canonicalJson } from '../audit-log/canonical-json.ts';
import { ExportRefused, signerOf } from '../audit-log/verify-export.ts';
import { jsonProblem } from '../json-text.ts';
import { noteKeyId } from '../merkle/signed-note.ts';
import { createGrowingTree, leafHash } from '../merkle/tree-hash.ts';
import { createCastVerifier, type Voter } from './cast-proof.ts';
import { NO_VOTES, type VoteChain, withVote } from './commitments.ts';
import {
  type ExportedLine,
  exportLine,
  GOVERNANCE_EXPORT,
  type ProposalStatement,
  type SnapshotLeaf,
  type VoteStatement,
} from './export-file.ts';
import { outcomeOf, type ProposalStatus } from './proposal-outcome.ts';
import { createRecords } from './recount-records.ts';
import { RecountRefused } from './recount-refused.ts';
import { holdingOf } from './snapshot.ts';
import { partsOf, powerOf, takenMore, tallyChange, votingPower } from './tally.ts';

export interface Recounted {
  readonly statement: ProposalStatement;
  readonly status: ProposalStatus;
  readonly cancelled: boolean;
  readonly votesFor: bigint;
  readonly votesAgainst: bigint;
  readonly totalPower: bigint;
  readonly voters: number;
  /** Votes cast, with those that a later one of the same holder replaced. */
  readonly cast: number;
  /** Of everybody's last ones, withdrawals included, without a signature: the service's word alone. */
  readonly unsigned: number;
  /** Of everybody's last ones, by a key that was enrolled after the snapshot. */
  readonly byLaterKeys: number;
  readonly exportedAt: string;
  /** Key id that signed the head, and whether that key was given. */
  readonly keyId: string;
  readonly pinned: boolean;
}

interface Holder extends Voter, NonNullable<ReturnType<typeof holdingOf>> {
  last: VoteStatement | null;
}

const ORDER = ['proposal', 'head', 'record', 'leaf', 'cast', 'tally'] as const satisfies ExportedLine['type'][];
const ONCE: readonly ExportedLine['type'][] = ['proposal', 'head', 'tally'];
type Line<T extends ExportedLine['type']> = Extract<ExportedLine, { type: T }>;

/** `pinned`: 32-byte public keys that may have signed the audit log's head; empty: the file's own are believed. Throws RecountRefused. */
export function createRecount(pinned: readonly Uint8Array[]) {
  let reached: ExportedLine['type'] | null = null;
  let statement: ProposalStatement;
  let signer: { keyId: string; pinned: boolean };
  let records: ReturnType<typeof createRecords>;
  let casts: ReturnType<typeof createCastVerifier>;
  let votes: VoteChain = NO_VOTES;
  let totalPower = 0n;
  let lastHolder: string | null = null;
  let result: Recounted | null = null;
  const tree = createGrowingTree();
  const holders = new Map<string, Holder>();
  const addresses = new Map<string, string>();
  const keys = new Map<string, string>();
  const lastRevisions = new Map<string, number>();

  function begin({ format, statement: given }: Line<'proposal'>): void {
    if (format !== GOVERNANCE_EXPORT)
      throw new RecountRefused(`the format ${format} is not known here: use the version of ashlar that made the file`);
    statement = given;
    if (Date.parse(given.expires_at) <= Date.parse(given.created_at))
      throw new RecountRefused('it expires before it was created', 'proposal.expires_at');
  }

  function takeHead(head: Line<'head'>): void {
    if (head.log !== statement.dao)
      throw new RecountRefused(`the head is of the log ${head.log}, and the proposal of ${statement.dao}`, 'head');
    try {
      const { verifier, pinned: given } = signerOf({ ...head, type: 'log', format: 'ashlar-audit-1' }, pinned);
      signer = { keyId: noteKeyId(verifier), pinned: given };
    } catch (error) {
      if (!(error instanceof ExportRefused)) throw error;
      throw new RecountRefused(`${error.message}: compare the key with \`ashlar audit key\``, 'head');
    }
    records = createRecords(statement, head);
  }

  function takeLeaf(leaf: SnapshotLeaf): void {
    const place = `snapshot of ${leaf.holder_id}`;
    if (lastHolder !== null && leaf.holder_id <= lastHolder)
      throw new RecountRefused(`it stands behind ${lastHolder}: each stands once, in the order of the ids`, place);
    lastHolder = leaf.holder_id;
    shared(addresses, leaf.address, leaf.holder_id, `the address ${leaf.address}`);
    for (const { key_id } of leaf.keys) shared(keys, key_id, leaf.holder_id, `the key ${key_id}`);
    const held = holdingOf(leaf);
    if (held === null) throw new RecountRefused('more is delegated than its balance', place);
    totalPower += powerOf(held.holding);
    tree.append(leafHash(Buffer.from(canonicalJson(leaf))));
    holders.set(leaf.holder_id, {
      ...{ holderId: leaf.holder_id, address: leaf.address, keys: leaf.keys, ...held, last: null },
    });
  }

  function finishSnapshot(): void {
    const { root, holders: count } = statement.snapshot;
    const place = 'snapshot';
    if (holders.size !== count)
      throw new RecountRefused(
        `it has ${holders.size} holders, and the proposal was made with ${count}: export it again`,
        place,
      );
    if (tree.root().toString('hex') !== root)
      throw new RecountRefused(
        'its leaves do not make its root: a holder’s power, address or keys were changed',
        place,
      );
    for (const { holderId, given } of holders.values())
      for (const { delegateId, power } of given) {
        const delegate = holders.get(delegateId);
        if (delegate === undefined || delegateId === holderId)
          throw new RecountRefused(
            `it delegates to ${delegateId}, which is no other holder`,
            `snapshot of ${holderId}`,
          );
        delegate.holding.powerIn += power;
      }
    casts = createCastVerifier(statement, { keys, enrolled: records.enrolled });
  }

  function takeCast(cast: VoteStatement): void {
    const place = `vote ${cast.number}`;
    if (cast.number !== votes.number + 1)
      throw new RecountRefused(
        `vote ${votes.number + 1} is missing and ${cast.number} stands there: one was left out or put in; export it again`,
        place,
      );
    const holder = holders.get(cast.holder_id) ?? null;
    const power = BigInt(cast.power);
    const most = holder === null ? 0n : votingPower(holder.holding);
    if (power > most)
      throw new RecountRefused(`${cast.holder_id} votes with ${power}, and has ${most} at the snapshot`, place);
    const revisions = lastRevisions.get(cast.holder_id) ?? 0;
    if (cast.revision !== revisions + 1)
      throw new RecountRefused(
        `${cast.holder_id} votes twice: it is its revision ${cast.revision}, and ${revisions + 1} is next`,
        place,
      );
    lastRevisions.set(cast.holder_id, cast.revision);
    const at = Date.parse(cast.cast_at);
    if (at >= Date.parse(statement.expires_at) || at < Date.parse(statement.created_at))
      throw new RecountRefused(`it was cast at ${cast.cast_at}, when the proposal was not open`, place);
    // Without power at the snapshot nothing can be counted of it.
    if (holder !== null) {
      casts.check(cast, holder, place);
      holder.last = cast;
    }
    votes = withVote(votes, cast);
  }

  function finish(tally: Line<'tally'>): void {
    records.checkEnd(tally, votes);
    const { for: votesFor, against: votesAgainst } = count([...holders.values()]);
    const lasts = [...holders.values()].flatMap(({ last }) => last ?? []);
    const voting = lasts.filter(({ power }) => power !== '0');
    const said = [tally.votes_for, tally.votes_against, tally.total_power, String(tally.voters)];
    const found = [String(votesFor), String(votesAgainst), String(totalPower), String(voting.length)];
    for (const [at, what] of ['votes_for', 'votes_against', 'total_power', 'voters'].entries())
      if (said[at] !== found[at])
        throw new RecountRefused(
          `it says ${said[at]}, and the votes make ${found[at]}: the service counted wrong`,
          `tally.${what}`,
        );
    const { settings } = statement;
    const ends = tally.cancelled ? 'rejected' : outcomeOf({ settings, totalPower, votesFor, votesAgainst });
    if (tally.status !== 'active' && tally.status !== ends)
      throw new RecountRefused(`it says ${tally.status}, and by the votes it is ${ends}`, 'tally.status');
    if (tally.status === 'active' && tally.cancelled)
      throw new RecountRefused('it says active, and cancelled: export it again', 'tally.status');
    if (tally.status === 'active' && Date.parse(tally.exported_at) >= Date.parse(statement.expires_at) + LATE_MS)
      throw new RecountRefused('it says active after the proposal expired: export it again', 'tally.status');
    result = {
      ...{ statement, status: tally.status, cancelled: tally.cancelled, votesFor, votesAgainst, totalPower },
      ...{ voters: voting.length, cast: votes.number, exportedAt: tally.exported_at, ...signer },
      unsigned: lasts.filter(({ proof }) => proof.kind === 'none').length,
      byLaterKeys: lasts.filter(({ proof }) => proof.kind === 'request' && !keys.has(proof.key_id)).length,
    };
  }

  function reach(type: ExportedLine['type']): void {
    // Enrolments stand before the first vote by their keys.
    if (type === 'record' && (reached === 'leaf' || reached === 'cast')) return;
    const [from, to] = [reached === null ? -1 : ORDER.indexOf(reached), ORDER.indexOf(type)];
    if (to < from || (to === from && ONCE.includes(type)) || (from < 2 && to > from + 1))
      throw new RecountRefused(
        `a line of the type ${type} stands ${reached === null ? 'first' : `behind ${reached}`}: export it again`,
      );
    if (from < 3 && to > 2) records.checkCreation();
    if (from < 4 && to > 3) finishSnapshot();
    reached = type;
  }

  return {
    /** One line, without its line break. */
    take(text: string): void {
      const line = lineOf(jsonOf(text));
      reach(line.type);
      if (line.type === 'proposal') begin(line);
      else if (line.type === 'head') takeHead(line);
      else if (line.type === 'record') records.take(line);
      else if (line.type === 'leaf') takeLeaf(line.leaf);
      else if (line.type === 'cast') takeCast(line.cast);
      else finish(line);
    },
    end(): Recounted {
      if (result === null) throw new RecountRefused('the file ends before the tally: export it again');
      return result;
    },
  };
}

/** The end of a proposal is written by a background job. */
const LATE_MS = 600_000;

/** Of everybody's last vote. */
function count(holders: readonly Holder[]) {
  const taken = new Map<string, bigint>();
  const cast = holders.flatMap(({ holderId, holding, given, last }) => {
    if (last === null) return [];
    const parts = partsOf(holding, BigInt(last.power));
    for (const [delegateId, more] of takenMore(given, 0n, parts.takenBack))
      taken.set(delegateId, (taken.get(delegateId) ?? 0n) + more);
    return [{ holderId, vote: last.vote, power: BigInt(last.power), powerIn: holding.powerIn, ...parts }];
  });
  return tallyChange(cast.map((one) => ({ before: null, after: { ...one, taken: taken.get(one.holderId) ?? 0n } })));
}

function shared(of: Map<string, string>, name: string, holderId: string, what: string): void {
  const other = of.get(name);
  if (other !== undefined)
    throw new RecountRefused(
      `${what} is ${other}’s, too: nobody can tell whose vote it signs`,
      `snapshot of ${holderId}`,
    );
  of.set(name, holderId);
}

function jsonOf(text: string): unknown {
  const problem = jsonProblem(text);
  if (problem !== null) throw new RecountRefused(`the line ${problem}: it is none of an export`);
  try {
    return JSON.parse(text);
  } catch {
    throw new RecountRefused('the line is no JSON: export it again');
  }
}

function lineOf(raw: unknown): ExportedLine {
  const parsed = exportLine.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new RecountRefused(`the line is none of an export: ${z.prettifyError(parsed.error)}`);
}
