/** Random histories of a DAO through its services, against a model that counts all at once: what is done, what is refused, and every sum. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { tokens } from '../../../src/core/governance/tokens.ts';
import type { AccountId, ProposalId } from '../../../src/core/ids.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createGovernance } from '../../../src/services/governance/index.ts';
import {
  type ModelBallot,
  type ModelDelegation,
  type ModelSnapshot,
  modelPower,
  modelTally,
  ONE,
  type Side,
  sum,
} from '../../builders/governance-model.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord, apiKeyRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';

const HOLDERS = 4;
const PERIOD = 72 * 3_600_000;
const page = { limit: 100, offset: 0 };

const holder = fc.nat(HOLDERS - 1);
const units = fc.oneof(
  fc.bigInt({ min: 1n, max: 8n * ONE }),
  fc.bigInt({ min: 1n, max: 8n }).map((whole) => whole * ONE),
);
const mint = fc.record({ does: fc.constant('mint' as const), holder, units });
const delegate = fc.record({ does: fc.constant('delegate' as const), holder, to: holder, units });
const propose = fc.record({ does: fc.constant('propose' as const), holder });
const vote = fc.record({
  ...{ does: fc.constant('vote' as const), holder, which: fc.nat(1), against: fc.boolean() },
  share: fc.bigInt({ min: 0n, max: 5n }),
});
const anything = fc.oneof(
  ...[mint, propose, fc.record({ does: fc.constant('burn' as const), holder, units })],
  fc.record({ does: fc.constant('transfer' as const), holder, to: holder, units }),
  { weight: 3, arbitrary: delegate },
  fc.record({ does: fc.constant('end' as const), which: fc.nat() }),
  { weight: 10, arbitrary: vote },
  fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1_000, PERIOD / 3) }),
);
/** Proposals are made when there is something to vote with. */
const steps = fc
  .tuple(
    fc.array(mint, { minLength: 4, maxLength: 8 }),
    fc.array(delegate, { minLength: 4, maxLength: 12 }),
    fc.array(propose, { minLength: 1, maxLength: 2 }),
    fc.array(anything, { minLength: 10, maxLength: 40 }),
  )
  .map((parts) => parts.flat());

interface ModelProposal extends ModelSnapshot {
  readonly id: ProposalId;
  readonly expiresAt: number;
  readonly ballots: ModelBallot[];
}
type Standing = ModelDelegation & { readonly id: `dlg_${string}` };

it('are counted as all at once, whatever holders do one after another', { timeout: 240_000 }, async () => {
  let now = 1_700_000_000_000;
  await using sqlite = await openTemporarySqlite({ clock: () => now });
  const { store } = sqlite;
  const governance = createGovernance({
    ...{ store, network: 'regtest', clock: () => now, log: silent, nonceKey: new Uint8Array(32), randomBytes },
    computing: computeHere({ network: 'regtest', randomBytes }),
    // Nothing is paid or exported, and no rules change.
    ...{ payments: null as never, chooseFeeRate: null as never, audit: {} as never },
    ...{ parsePolicySet: null as never, signaturePolicy: 'per-key' as const },
  });
  let runs = 0;

  async function newDao(accountId: AccountId) {
    const idOf = (at: number) => `key_${runs.toString(36).padStart(12, '0')}${at.toString().padStart(10, '0')}`;
    await store.write(async (tx) => {
      await tx.accounts.insert(accountRecord(accountId));
      for (let at = 0; at < HOLDERS; at++) {
        const key = { accountId, keyId: idOf(at), prefix: `${runs.toString(36).padStart(6, '0')}0${at}` };
        await tx.apiKeys.insert(apiKeyRecord({ ...key, role: 'admin', createdAt: at }));
      }
    });
    const asking = (at: number) => requestContext({ accountId, credential: { id: idOf(at) } });
    const { address } = await governance.holders.get(idOf(0), asking(0));
    // The first holder's million would hide what is not counted of the others.
    await governance.tokens.burn({ address, amount: tokens(999_990n * ONE), reason: 'r' }, asking(0));
    return { idOf, asking };
  }

  const property = fc.asyncProperty(steps, async (history) => {
    const accountId: AccountId = `acc_${(runs++).toString(36).padStart(22, '0')}`;
    const { idOf, asking } = await newDao(accountId);
    const balances = [10n * ONE, ...Array<bigint>(HOLDERS - 1).fill(0n)];
    let delegations: Standing[] = [];
    const proposals: ModelProposal[] = [];
    const active = () => proposals.filter(({ expiresAt }) => now < expiresAt);

    /** Of the holder's own, on one proposal. */
    const ownCast = ({ ballots, ...snapshot }: ModelProposal, at: number): bigint => {
      const { power = 0n } = ballots.findLast((ballot) => ballot.holder === at) ?? {};
      const { own, out } = modelPower(snapshot, at);
      return power < own + out ? power : own + out;
    };
    const lockedOf = (at: number): bigint => {
      const delegated = sum(delegations.filter(({ from }) => from === at).map((one) => one.units));
      const cast = active().map((proposal) => ownCast(proposal, at) * ONE);
      const most = cast.reduce((one, other) => (one > other ? one : other), 0n);
      const rest = balances[at]! - delegated;
      return delegated + (rest < most ? rest : most);
    };
    const free = (at: number): bigint => balances[at]! - lockedOf(at);
    /** Whether it was done: where the model says it can be, it must be. */
    async function done<T>(can: boolean, doing: () => Promise<T>): Promise<T | null> {
      try {
        const made = await doing();
        expect(can).toBe(true);
        return made;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        expect([can, error.message]).toEqual([false, expect.any(String)]);
        return null;
      }
    }

    for (const step of history) {
      if (step.does === 'wait') now += step.ms;
      if (step.does === 'mint' || step.does === 'burn') {
        const { holder: at, does } = step;
        const given = { address: idOf(at), amount: tokens(step.units), reason: 'r' };
        const can = does === 'mint' || step.units <= free(at);
        const made = await done(can, () => governance.tokens[does](given, asking(0)));
        if (made !== null) balances[at]! += does === 'mint' ? step.units : -step.units;
      }
      if (step.does === 'transfer' || step.does === 'delegate') {
        const { holder: from, to, units } = step;
        const can = from !== to && units <= free(from);
        const amount = tokens(units);
        if (step.does === 'transfer') {
          if (await done(can, () => governance.tokens.transfer({ address: idOf(to), amount }, asking(from)))) {
            balances[from]! -= units;
            balances[to]! += units;
          }
        } else {
          const given = { delegateAddress: idOf(to), amount };
          const made = await done(can, () => governance.delegations.give(given, asking(from)));
          if (made !== null) delegations.push({ from, to, units, id: made.delegationId });
        }
      }
      const ended = step.does === 'end' ? delegations[step.which % delegations.length] : undefined;
      if (ended !== undefined) {
        await governance.delegations.end(ended.id, asking(ended.from));
        delegations = delegations.filter(({ id }) => id !== ended.id);
      }
      if (step.does === 'propose') {
        const asked = { title: 't', description: 'd', type: 'text', parameters: {} };
        const can = balances[step.holder]! >= ONE;
        const made = await done(can, () => governance.proposals.create(asked, asking(step.holder)));
        if (made !== null) {
          const snapshot = { balances: [...balances], delegations: [...delegations] };
          expect(made.totalPower).toBe(
            sum(balances.map((_, at) => modelPower(snapshot, at)).map((one) => one.own + one.out)),
          );
          proposals.push({ id: made.proposalId, expiresAt: now + PERIOD, ballots: [], ...snapshot });
        }
      }
      const proposal = step.does === 'vote' ? proposals.at(-1 - step.which) : undefined;
      if (step.does === 'vote' && proposal !== undefined) {
        const { own, out, in: received } = modelPower(proposal, step.holder);
        const most = own + out + received;
        const vote: Side = step.against ? 'against' : 'for';
        const power = step.share === 5n ? most + 1n : (most * step.share) / 4n;
        const can = power <= most && now < proposal.expiresAt;
        const given = { proposalId: proposal.id, vote, power, sent: () => '{}' };
        if (await done(can, () => governance.votes.cast(given, asking(step.holder))))
          proposal.ballots.push({ holder: step.holder, vote, power });
      }
    }

    const { data: held } = await governance.holders.list(page, asking(0));
    for (const [at, balance] of balances.entries()) {
      const found = held.find(({ holderId }) => holderId === idOf(at));
      expect([found?.balance ?? 0n, found?.locked ?? 0n]).toEqual([balance, lockedOf(at)]);
    }
    const standing = { balances, delegations };
    const power = balances.map((_, at) => modelPower(standing, at)).map(({ own, out }) => own + out);
    expect(await governance.daos.of(accountId)).toMatchObject({ supply: sum(balances), totalPower: sum(power) });
    for (const { id, ballots, expiresAt, ...snapshot } of proposals) {
      const found = await governance.proposals.get(id, asking(0));
      const sums = modelTally(snapshot, ballots);
      const last = new Map(ballots.map((ballot) => [ballot.holder, ballot.power]));
      const voters = [...last.values()].filter((cast) => cast > 0n).length;
      expect([found.votesFor, found.votesAgainst, found.voters]).toEqual([sums.for, sums.against, voters]);
      expect(sums.for + sums.against <= found.totalPower).toBe(true);
      const [total, cast] = [found.totalPower, sums.for + sums.against];
      const passes = total > 0n && cast * 5n >= total && sums.for * 2n > cast;
      expect(found.status).toBe(now < expiresAt ? 'active' : passes ? 'passed' : 'rejected');
      const { data: shown } = await governance.votes.on(id, page, asking(0));
      expect(new Map(shown.map((vote) => [vote.holderId, vote.power]))).toEqual(
        new Map([...last].map(([at, cast]) => [idOf(at), cast])),
      );
      expect(shown.map(({ own, takenBack, received }) => own + takenBack + received)).toEqual(
        shown.map((vote) => vote.power),
      );
    }
  });
  await fc.assert(property, { numRuns: 50 });
});
