/** Recounting a proposal from its export: by the core, beside a recount that has nothing of it. */
import { sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { VoteProof, VoteStatement } from '../../../src/core/governance/export-file.ts';
import { createRecount } from '../../../src/core/governance/recount.ts';
import {
  ADDRESS,
  CREATED,
  castOf,
  EXPIRES,
  exportOf,
  type Holder,
  holderId,
  messageProof,
  NOTE_KEY,
  pair,
  random,
  requestProof,
  statementOf,
  type Told,
} from '../../builders/governance-export.ts';
import { modelPower, modelTally, ONE, sum } from '../../builders/governance-model.ts';
import { recountAlone } from '../../builders/governance-recount.ts';

const HOUR = 3_600_000;
const whole = (units: bigint) => units / ONE;

/** Each with up to 1,000 tokens and a rest; `delegations` of them to others, in parts. */
function holdersOf(count: number, delegations: number): Holder[] {
  const given = Array.from({ length: delegations }, (_, at) => {
    const from = random(`from ${at}`, count);
    return { from, to: holderId((from + 1 + random(`to ${at}`, count - 1)) % count) };
  });
  return Array.from({ length: count }, (_, at) => {
    const units = BigInt(random(`units ${at}`, 1000)) * ONE + BigInt(random(`rest ${at}`, 100_000_000));
    const own = given.filter(({ from }) => from === at);
    const part = (index: number) => (units * BigInt(1 + random(`part ${at} ${index}`, 9))) / BigInt(10 * own.length);
    const address = at === 0 ? ADDRESS : `gov1${holderId(at)}`;
    return {
      ...{ id: holderId(at), pair: pair(), address, units },
      delegations: own.map(({ to }, index) => ({ to, units: part(index) })),
    };
  });
}

/** Counted all at once. */
function counted(holders: readonly Holder[], casts: readonly VoteStatement[]) {
  const ids = holders.map(({ id }) => id);
  const had = {
    balances: holders.map(({ units }) => units),
    delegations: holders.flatMap(({ delegations }, from) =>
      delegations.map(({ to, units }) => ({ from, to: ids.indexOf(to), units })),
    ),
  };
  const ballots = casts.map((cast) => ({
    ...{ holder: ids.indexOf(cast.holder_id), vote: cast.vote, power: BigInt(cast.power) },
  }));
  const { for: yes, against: no } = modelTally(had, ballots);
  const total = sum(ids.map((_, at) => modelPower(had, at)).map(({ own, out }) => own + out));
  const passed = total > 0n && 100n * (yes + no) >= 20n * total && 100n * yes > 50n * (yes + no);
  const last = new Map(ballots.map(({ holder, power }) => [holder, power]));
  return { yes, no, total, voters: [...last.values()].filter((power) => power > 0n).length, passed };
}

function told(holders: readonly Holder[], casts: readonly VoteStatement[], of: Partial<Told> = {}): Told {
  const { yes, no, total, voters, passed } = counted(holders, casts);
  const { statement, leaves } = statementOf(holders);
  const tally = { votes_for: `${yes}`, votes_against: `${no}`, total_power: `${total}`, voters };
  return { statement, leaves, casts, end: passed ? 'passed' : 'rejected', tally, ...of };
}

function recount(lines: readonly string[], pinned: Uint8Array[] = [NOTE_KEY]) {
  const counted = createRecount(pinned);
  for (const line of lines) counted.take(line);
  return counted.end();
}
const refusal = (lines: readonly string[]) => {
  try {
    recount(lines);
  } catch (error) {
    const { place, message } = error as { place: string | null; message: string };
    return `${place}: ${message}`;
  }
  return 'verified';
};

const few = holdersOf(6, 4);
const { statement } = statementOf(few);
const most = (holder: Holder) =>
  String(
    whole(holder.units - sum(holder.delegations.map((one) => one.units))) +
      sum(holder.delegations.map((one) => whole(one.units))),
  );
const side = (at: number) => (at % 3 === 0 ? 'against' : 'for') as 'for' | 'against';
const voteOf = (holder: Holder, number: number, of: Partial<VoteStatement> = {}) => {
  const choice = { vote: of.vote ?? side(number), power: of.power ?? most(holder) };
  return castOf(number, { holder_id: holder.id, ...choice, proof: requestProof(choice, holder.pair), ...of });
};
/** The first by its address, who votes again with less. */
const first = { vote: 'for', power: most(few[0]!) } as const;
const casts = [
  castOf(1, { holder_id: few[0]!.id, ...first, proof: messageProof(statement, first) }),
  ...few.slice(1, 5).map((holder, at) => voteOf(holder, at + 2)),
  voteOf(few[1]!, 6, { revision: 2, power: '1' }),
  castOf(7, { holder_id: few[5]!.id, vote: 'for', power: '1', proof: { kind: 'none' } }),
];
const honest = told(few, casts);
const changed = (at: number, of: Partial<VoteStatement>) =>
  casts.map((cast, index) => (index === at ? { ...cast, ...of } : cast));

describe('a recount', () => {
  it('of 1,000 votes of 1,000 holders with 300 delegations makes what the rules do', () => {
    const holders = holdersOf(1_000, 300);
    const received = (id: string) =>
      sum(
        holders.flatMap(({ delegations }) =>
          delegations.filter(({ to }) => to === id).map(({ units }) => whole(units)),
        ),
      );
    const votes = holders.map((holder, at) => {
      const end = BigInt(most(holder)) + received(holder.id) + 1n;
      const vote = random(`vote ${at}`, 2) === 0 ? ('for' as const) : ('against' as const);
      // Every third all that it can.
      return voteOf(holder, at + 1, {
        vote,
        power: String(at % 3 === 0 ? end - 1n : BigInt(random(`power ${at}`, Number(end)))),
      });
    });
    const made = counted(holders, votes);
    const lines = exportOf(told(holders, votes));
    const recounted = recount(lines);
    const { votesFor, votesAgainst, totalPower, voters, status } = recounted;
    expect([votesFor, votesAgainst, totalPower]).toEqual([made.yes, made.no, made.total]);
    expect(status).toBe(made.passed ? 'passed' : 'rejected');
    const alone = { for: votesFor, against: votesAgainst, total: totalPower, voters, cast: 1_000 };
    expect(recountAlone(lines, NOTE_KEY)).toEqual({ ...alone, status });
    // What several want of one delegation is counted once.
    expect(made.yes + made.no).toBeLessThan(sum(votes.map(({ power }) => BigInt(power))));
    expect(made.yes + made.no).toBeLessThanOrEqual(made.total);
  });

  it('takes votes by address, without signature, by keys enrolled later, and of a proposal that goes on', () => {
    expect(recount(exportOf(honest))).toMatchObject({ cast: 7, unsigned: 1, byLaterKeys: 0, pinned: true, voters: 6 });
    const later = { pair: pair(), holderId: few[3]!.id };
    const choice = { vote: 'for' as const, power: '1' };
    const byLater = [castOf(1, { holder_id: few[3]!.id, ...choice, proof: requestProof(choice, later.pair) })];
    const open = told(few, byLater, { end: null, later: [later] });
    expect(recount(exportOf(open), [])).toMatchObject({ status: 'active', byLaterKeys: 1, pinned: false });
    expect(refusal(exportOf({ ...open, later: [] }))).toMatch(/vote 1: .*not shown to be enrolled since/);
    expect(refusal(exportOf({ ...open, later: [{ ...later, holderId: few[4]!.id }] }))).toMatch(/of another holder/);
    expect(recount(exportOf(told(few, [], { end: 'cancelled' })))).toMatchObject({
      cancelled: true,
      status: 'rejected',
    });
  });

  it.each([
    [
      'a vote that says something else',
      () => exportOf(honest, { ...honest, casts: changed(1, { vote: 'against' }) }),
      /^vote 2: .*signed request says otherwise/,
    ],
    [
      'more power than there is',
      () => exportOf(honest, { ...honest, casts: changed(2, { power: '5000' }) }),
      /^vote 3: .* votes with 5000, and has/,
    ],
    [
      'an unsigned vote that was changed',
      () => exportOf(honest, { ...honest, ...told(few, changed(6, { vote: 'against' })), end: honest.end }),
      /^votes: a vote was changed|^tally.status/,
    ],
    [
      'a signature that was changed',
      () =>
        exportOf(honest, { ...honest, casts: changed(3, { proof: { ...casts[3]!.proof, value: 'AAAA' } as never }) }),
      /^vote 4: the signature of its request does not verify/,
    ],
    [
      'a vote by address with another power',
      () => exportOf(honest, { ...honest, casts: changed(0, { power: '1' }) }),
      /^vote 1: the signature by bcrt1/,
    ],
    [
      'a vote that was left out',
      () => exportOf(honest, { ...honest, casts: casts.filter((_, at) => at !== 2) }),
      /^vote 4: vote 3 is missing/,
    ],
    [
      'the last vote left out',
      () => exportOf(honest, { ...honest, casts: casts.slice(0, 6) }),
      /^votes: the audit log counts 7 votes and the file has 6/,
    ],
    [
      'a vote cast twice',
      () => exportOf(told(few, [...casts, { ...casts[2]!, number: 8 }])),
      /^vote 8: .* votes twice/,
    ],
    [
      'a request taken twice',
      () => exportOf(told(few, [...casts, { ...casts[2]!, number: 8, revision: 2 }])),
      /^vote 8: the same signed request is vote 3/,
    ],
    [
      'another holder’s key',
      () => exportOf(told(few, changed(2, { proof: requestProof(casts[2]!, few[4]!.pair) }))),
      /^vote 3: it is signed by the key .* of another holder/,
    ],
    [
      'another proposal’s vote',
      () => exportOf(told(few, changed(2, { proof: requestProof(casts[2]!, few[2]!.pair, 'prp_2') }))),
      /^vote 3: .*another proposal/,
    ],
    [
      'another proposal’s vote by address',
      () => exportOf(told(few, changed(0, { proof: messageProof({ ...statement, proposal_id: 'prp_2' }, first) }))),
      /^vote 1: the signature by/,
    ],
    [
      'another network’s vote by address',
      () => exportOf(told(few, changed(0, { proof: messageProof({ ...statement, network: 'signet' }, first) }))),
      /^vote 1: the signature by/,
    ],
    [
      'a vote of an earlier revision',
      () => exportOf(told(few, [casts[0]!, { ...casts[0]!, number: 2, revision: 2 }])),
      /^vote 2: the signature by/,
    ],
    [
      'a vote after the end',
      () => exportOf(told(few, changed(6, { cast_at: new Date(EXPIRES).toISOString() }))),
      /^vote 7: .*was not open/,
    ],
    [
      'a vote signed after the end',
      () =>
        exportOf(told(few, changed(2, { proof: requestProof(casts[2]!, few[2]!.pair, 'prp_1', EXPIRES + 400_000) }))),
      /^vote 3: it was signed after/,
    ],
    [
      'a balance that was changed',
      () =>
        exportOf(honest, { ...honest, leaves: honest.leaves.map((leaf) => ({ ...leaf, balance: '999.00000000' })) }),
      /^snapshot: its leaves do not make its root/,
    ],
    [
      'a holder left out',
      () => exportOf(honest, { ...honest, leaves: honest.leaves.slice(1) }),
      /^snapshot: it has 5 holders/,
    ],
    [
      'a holder put in twice',
      () => exportOf(honest, { ...honest, leaves: [honest.leaves[0]!, ...honest.leaves] }),
      /each stands once/,
    ],
    [
      'a key of two holders',
      () => exportOf({ ...honest, leaves: honest.leaves.map((leaf) => ({ ...leaf, keys: honest.leaves[0]!.keys })) }),
      /^snapshot of .*nobody can tell whose/,
    ],
    [
      'another threshold',
      () =>
        exportOf(honest, {
          ...honest,
          statement: { ...statement, settings: { ...statement.settings, threshold_percent: 0 } },
        }),
      /^proposal: .* not what the audit log has/,
    ],
    [
      'another tally',
      () => exportOf(honest, { ...honest, tally: { ...honest.tally, votes_for: '9' } }),
      /^tally.votes_for: it says 9/,
    ],
    [
      'another outcome',
      () => exportOf({ ...honest, end: honest.end === 'passed' ? 'rejected' : 'passed' }),
      /^tally.status: .* by the votes it is/,
    ],
    [
      'a record that is not in the log',
      () => exportOf(honest).map((line) => line.replace('\\"done\\"', '\\"done\\" ')),
      /^record 0: it is not in the audit log/,
    ],
    [
      'no record of the creation',
      () => exportOf(honest).filter((line) => !line.includes('governance-proposal')),
      /^proposal: the audit record of its creation/,
    ],
    ['a file that ends early', () => exportOf(honest).slice(0, -1), /ends before the tally/],
    ['lines in another order', () => exportOf(honest).toReversed(), /stands first/],
    [
      'an earlier vote in the place of the later one',
      () => {
        const holder = few[2]!;
        const cast = (number: number, vote: 'for' | 'against', signedAt: number) =>
          castOf(number, {
            ...{ holder_id: holder.id, vote, power: '1', revision: number },
            cast_at: new Date(CREATED + HOUR + number).toISOString(),
            proof: requestProof({ vote, power: '1' }, holder.pair, 'prp_1', signedAt),
          });
        return exportOf(told(few, [cast(1, 'against', CREATED + HOUR), cast(2, 'for', CREATED)]));
      },
      /^vote 2: it was signed before the vote of .* that it replaces/,
    ],
    [
      'a challenge that was signed',
      () => {
        const holder = few[2]!;
        const choice = { vote: 'for', power: '1' } as const;
        const proof = requestProof(choice, holder.pair) as Extract<VoteProof, { kind: 'request' }>;
        const base = `ashlar-governance-ws\nlocalhost:3000\n${proof.base}`;
        const value = sign(null, Buffer.from(base), holder.pair.key).toString('base64');
        return exportOf(told(few, [castOf(1, { holder_id: holder.id, ...choice, proof: { ...proof, base, value } })]));
      },
      /^vote 1: what its signature is over is no request/,
    ],
    [
      'one that is active and cancelled',
      () => {
        const lines = exportOf(told(few, [], { end: null }));
        return [...lines.slice(0, -1), JSON.stringify({ ...JSON.parse(lines.at(-1)!), cancelled: true })];
      },
      /^tally.status: it says active, and cancelled/,
    ],
    ['no JSON', () => ['{'], /no JSON/],
    ['a line of another kind', () => ['{"type":"log"}'], /none of an export/],
  ])('names %s', (_, lines, problem) => {
    expect(refusal(lines())).toMatch(problem);
    expect(() => recountAlone(lines(), NOTE_KEY)).toThrow(/^recount: |JSON/);
  });

  it('does not take a head that another key signed', () => {
    expect(() => recount(exportOf(honest), [Buffer.alloc(32, 7)])).toThrow(/not signed by the key given/);
  });
});
