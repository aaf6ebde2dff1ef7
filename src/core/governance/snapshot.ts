/** Who has which power at a proposal's creation: a leaf for each holder, by id, and their Merkle tree (RFC 6962 §2.1). */
import { canonicalJson } from '../audit-log/canonical-json.ts';
import { createGrowingTree, leafHash } from '../merkle/tree-hash.ts';
import type { PublicJwk } from '../request-signatures/signing-algorithm.ts';
import type { SnapshotLeaf } from './export-file.ts';
import { type DelegatedPower, NO_HOLDING, powerOf } from './tally.ts';
import { formatTokens, tokens, unitsOf, wholeTokens } from './tokens.ts';

/** As read from the database, in pages that need not be of one moment: JSON, since hundreds of thousands of objects take long to hand over. */
export interface SnapshotRows {
  /** `[holder id, address, balance in units]` each. */
  readonly holders: readonly string[];
  /** `[delegation id, holder id, delegate id, amount in units, the change that made it]` each. */
  readonly delegations: readonly string[];
  /** `[key id, credential id, JWK as text]` each. */
  readonly keys: readonly string[];
  /** `[key id, id of the key that it was rotated to]` each. */
  readonly rotations: readonly string[];
}

export interface SnapshotPiece {
  /** Holder id of its first leaf. */
  readonly first: string;
  /** Leaves, a line each. */
  readonly leaves: string;
}

export interface Snapshot {
  /** Hex. */
  readonly root: string;
  readonly holders: number;
  readonly totalPower: bigint;
  readonly pieces: readonly SnapshotPiece[];
}

/** A leaf is found by reading one piece. */
const PIECE = 100;

const rowsOf = <Row>(pages: readonly string[]): Row[] => pages.flatMap((page) => JSON.parse(page) as Row[]);

/** Null where the pages are of different moments: an address of two holders, or less than was delegated. */
export function makeSnapshot(rows: SnapshotRows): Snapshot | null {
  const keys = keysByHolder(rows);
  const delegations = Map.groupBy(
    rowsOf<[string, string, string, string, number]>(rows.delegations).sort(
      ([, , , , one], [, , , , other]) => one - other,
    ),
    ([, holderId]) => holderId,
  );
  const addresses = new Set<string>();
  const tree = createGrowingTree();
  const texts: { id: string; text: string }[] = [];
  let totalPower = 0n;
  for (const [id, address, units] of rowsOf<[string, string, string]>(rows.holders).sort(byText)) {
    if (addresses.has(address)) return null;
    addresses.add(address);
    const given = (delegations.get(id) ?? []).map(([delegationId, , to, amount]) => ({
      ...{ delegation_id: delegationId, to, amount: formatTokens(tokens(BigInt(amount))) },
    }));
    const leaf: SnapshotLeaf = {
      ...{ holder_id: id, address, balance: formatTokens(tokens(BigInt(units))), delegations: given },
      keys: (keys.get(id) ?? []).map(([keyId, , jwk]) => ({ key_id: keyId, jwk: JSON.parse(jwk) as PublicJwk })),
    };
    const held = holdingOf(leaf);
    if (held === null) return null;
    totalPower += powerOf(held.holding);
    const text = canonicalJson(leaf);
    tree.append(leafHash(Buffer.from(text)));
    texts.push({ id, text });
  }
  const pieces: SnapshotPiece[] = [];
  for (let at = 0; at < texts.length; at += PIECE) {
    const leaves = texts.slice(at, at + PIECE);
    pieces.push({ first: leaves[0]!.id, leaves: leaves.map(({ text }) => `${text}\n`).join('') });
  }
  return { root: tree.root().toString('hex'), holders: texts.length, totalPower, pieces };
}

/** Of the holder, out of the piece that it would be in; null where it has none. */
export function leafIn(leaves: string, holderId: string): SnapshotLeaf | null {
  const line = leaves.split('\n').find((text) => text.includes(`"holder_id":${JSON.stringify(holderId)},`));
  return line === undefined ? null : (JSON.parse(line) as SnapshotLeaf);
}

/** What a holder had, without what others delegated to it, and what it had delegated; null where that is more than it had. */
export function holdingOf({ balance, delegations }: Pick<SnapshotLeaf, 'balance' | 'delegations'>) {
  const given: DelegatedPower[] = [];
  const holding = { ...NO_HOLDING, balance: unitsOf(balance) };
  for (const { to, amount } of delegations) {
    const power = wholeTokens(unitsOf(amount));
    given.push({ delegateId: to, power });
    holding.delegated = tokens(holding.delegated + unitsOf(amount));
    holding.powerOut += power;
  }
  return holding.delegated > holding.balance ? null : { holding, given };
}

const byText = ([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number =>
  one < other ? -1 : 1;

/** An API key's are of the holder that its rotations began with. */
function keysByHolder(rows: SnapshotRows): Map<string, [string, string, string][]> {
  const before = new Map(rowsOf<[string, string]>(rows.rotations).map(([from, to]) => [to, from]));
  function holderOf(credentialId: string): string {
    let id = credentialId;
    for (let from = before.get(id); from !== undefined; from = before.get(id)) id = from;
    return id;
  }
  const keys = rowsOf<[string, string, string]>(rows.keys).sort(byText);
  return Map.groupBy(keys, ([, credentialId]) => holderOf(credentialId));
}

export const snapshotJobs = { 'governance.snapshot': makeSnapshot };
export type SnapshotJobs = typeof snapshotJobs;
