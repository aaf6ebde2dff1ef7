/** Tokens of a DAO, moved by two processes at once: nothing is made or lost, and the DAO is made once. */
import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { leafIn } from '../../../src/core/governance/snapshot.ts';
import { parseTokens } from '../../../src/core/governance/tokens.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createGovernance } from '../../../src/services/governance/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { apiKeyRecord } from '../../builders/store-records.ts';
import { silent } from '../../builders/stores.ts';
import type { StoreContext } from '../store.ts';

export function governanceTests(context: StoreContext): void {
  const page = { limit: 100, offset: 0 };
  const idOf = (letter: string) => `key_${letter.repeat(22)}`;
  const of = (store: Store) =>
    createGovernance({
      ...{ store, network: 'regtest', clock: () => 1_700_000_000_000, log: silent },
      ...{ nonceKey: new Uint8Array(32), randomBytes, computing: computeHere({ network: 'regtest', randomBytes }) },
      // Nothing is paid or exported, and no rules change.
      ...{ payments: null as never, chooseFeeRate: null as never, audit: {} as never },
      ...{ parsePolicySet: null as never, signaturePolicy: 'per-key' as const },
    });

  it('is made once, and its transfers come one after another', async () => {
    const { store } = context;
    await store.write(async (tx) => {
      for (const [letter, role] of [...'abc'].entries())
        await tx.apiKeys.insert(
          apiKeyRecord({ keyId: idOf(role), prefix: letter.toString().repeat(8), role: 'admin', createdAt: letter }),
        );
    });
    const services = [of(store), of(await context.beside())];
    await Promise.all([...services, ...services].map(({ daos }) => daos.of('acc_one')));
    const { entries, findDao, holders } = store.read.governance;
    const dao = async () => (await findDao('acc_one'))!;
    expect((await entries(await dao(), page)).data).toMatchObject([{ type: 'genesis', holderId: idOf('a') }]);
    const asking = (letter: string) => requestContext({ credential: { id: idOf(letter) } });
    const send = (from: string, to: string, amount: string, at: number) =>
      services[at % 2]!.tokens.transfer({ address: idOf(to), amount: parseTokens(amount) }, asking(from));
    await Promise.all(Array.from({ length: 12 }, (_, at) => send('a', at % 3 === 0 ? 'c' : 'b', '2.5', at)));
    const spent = await Promise.allSettled(Array.from({ length: 6 }, (_, at) => send('c', 'b', '4', at)));
    expect(spent.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const { data, total } = await holders(await dao(), page);
    expect(Object.fromEntries(data.map(({ holderId, balance }) => [holderId, balance]))).toEqual({
      [idOf('a')]: parseTokens('999970'),
      [idOf('b')]: parseTokens('28'),
      [idOf('c')]: parseTokens('2'),
    });
    const all = (await entries(await dao(), page)).data;
    const ofA = await entries(data.find(({ holderId }) => holderId === idOf('a'))!, page);
    expect([total, (await dao()).entries, all.length, ofA.total, ofA.data.length]).toEqual([3, 29, 29, 13, 13]);
    expect(all.map(({ change }) => change).reduce((sum, change) => sum + change, 0n)).toBe(parseTokens('1000000'));
    expect(new Set(all.map(({ seq }) => seq)).size).toBe(1 + 12 + 2);
    expect(await findDao('acc_one')).toMatchObject({ seq: 15, supply: parseTokens('1000000'), totalPower: 1_000_000n });
    expect(await findDao('acc_two')).toBeNull();

    const give = (to: string, amount: string, at: number) => {
      const given = { delegateAddress: idOf(to), amount: parseTokens(amount) };
      return services[at % 2]!.delegations.give(given, asking('b'));
    };
    const given = await Promise.allSettled(
      ['9.5', '9.5', '9.5', '9.5'].map((amount, at) => give('ac'[at % 2]!, amount, at)),
    );
    const made = given.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made).toHaveLength(2);
    const [older, newer] = made.sort((one, other) => one.fromSeq - other.fromSeq);
    const { delegations } = store.read;
    const asked = { title: 't', description: 'd', type: 'text', parameters: {} };
    const { proposalId } = await services[0]!.proposals.create(asked, asking('a'));
    await services[0]!.delegations.end(older!.delegationId, asking('b'));
    const standing = { accountId: 'acc_one', delegateId: newer!.delegateId } as const;
    expect((await delegations.list(standing, page)).data).toEqual([newer]);
    expect((await delegations.list({ accountId: 'acc_two', holderId: idOf('b') }, page)).data).toEqual([]);
    const [power, received] = [
      { a: 999_970n, b: 27n, c: 2n },
      { a: 0n, b: 0n, c: 0n },
    ];
    for (const { delegateId } of made) received[delegateId[4] as 'a' | 'c'] += 9n;
    const cast = async (letter: 'a' | 'b' | 'c', at: number) => {
      const ballot = { proposalId, vote: letter === 'b' ? ('against' as const) : ('for' as const), sent: () => '{}' };
      await services[at % 2]!.votes.cast({ ...ballot, power: power[letter] + received[letter] }, asking(letter));
    };
    await Promise.all([...'abcbab'].map((letter, at) => cast(letter as 'a' | 'b' | 'c', at)));
    expect(await store.read.proposals.find('acc_one', proposalId)).toMatchObject({
      ...{ votesFor: 999_972n, votesAgainst: 27n, voters: 3 },
    });
    const { votes } = store.read;
    expect((await services[0]!.votes.on(proposalId, page, asking('a'))).total).toBe(3);
    const shown = (await votes.page({ accountId: 'acc_one', proposalId }, page)).data;
    expect(new Map(shown.map(({ holderId, revision }) => [holderId, revision]))).toEqual(
      new Map([3, 2, 1].map((revision, at) => [idOf('bac'[at]!), revision])),
    );
    expect((await votes.page({ accountId: 'acc_two', proposalId }, page)).data).toEqual([]);
    const holderIds = [...'abc'].map(idOf);
    expect(await votes.cast('acc_one', holderIds)).toEqual(
      new Map([999_970n, 27n, 2n].map((most, at) => [holderIds[at]!, most])),
    );
    expect((await votes.cast('acc_two', holderIds)).size).toBe(0);
    // Nothing can draw on what ends now.
    await services[1]!.proposals.cancel(proposalId, { reason: 'r' }, asking('a'));
    await services[1]!.delegations.end(newer!.delegationId, asking('b'));
    expect((await delegations.list(standing, page)).data).toEqual([]);
    expect(await findDao('acc_one')).toMatchObject({ seq: 19, totalPower: 1_000_000n });
  });

  it('has its proposals ended once, whoever comes first, and a clock that is set back opens none', async () => {
    const { store } = context;
    await store.write((tx) => tx.apiKeys.insert(apiKeyRecord({ keyId: idOf('a'), role: 'admin' })));
    const [one, other] = [of(store), of(await context.beside())];
    const asking = requestContext({ credential: { id: idOf('a') } });
    const make = (title: string) =>
      one.proposals.create({ title, description: 'd', type: 'text', parameters: {} }, asking);
    const [late, cancelled] = [await make('over'), await make('a mistake')];
    expect(late).toMatchObject({ status: 'active', totalPower: 1_000_000n, snapshotSeq: 1 });
    expect(late.expiresAt - late.createdAt).toBe(72 * 3_600_000);
    await one.proposals.cancel(cancelled.proposalId, {}, asking);
    // As if it had been made three days ago, and 60 more with enough votes.
    const over = { ...late, createdAt: late.createdAt - 3 * 86_400_000, expiresAt: late.createdAt };
    const passing = { ...over, votesFor: 200_000n };
    await store.write(async (tx) => {
      for (let at = 0; at < 60; at++)
        await tx.proposals.insert({ ...passing, proposalId: `prp_${at.toString().padStart(22, '0')}` });
      await tx.governance.updateDao('acc_one', { activeProposals: 61, proposals: 62 });
    });
    const { proposals: counted } = await store.read.metrics.governance();
    expect(counted).toEqual({ active: 61, passed: 0, rejected: 1 });
    await Promise.all([one, other, one, other].map(({ proposals }) => proposals.list({}, page, asking)));
    const listed = async (status: 'active' | 'passed' | 'rejected') =>
      (await other.proposals.list({ status }, page, asking)).data.map(({ title }) => title);
    expect([(await listed('active')).length, (await listed('passed')).length]).toEqual([1, 60]);
    expect(await listed('rejected')).toEqual(['a mistake']);
    const totals = ([undefined, 'active', 'passed', 'rejected'] as const).map(async (status) => {
      const { total } = await other.proposals.list(status === undefined ? {} : { status }, page, asking);
      return total;
    });
    expect(await Promise.all(totals)).toEqual([62, 1, 60, 1]);
    const told = async () =>
      (await store.read.events.after(0n, 10_000, { accountId: 'acc_one', channel: 'governance' })).filter(({ data }) =>
        JSON.stringify(data).includes('proposal_updated'),
      );
    await store.write((tx) => tx.events.number(1_000));
    expect(await told()).toHaveLength(61);
    expect((await store.read.governance.findDao('acc_one'))?.activeProposals).toBe(1);
    // What the DAO has seen decides, where the clock is behind that.
    await store.write((tx) => tx.governance.updateDao('acc_one', { seenAt: late.expiresAt }));
    expect(await store.read.proposals.dueAccounts(10)).toEqual(['acc_one']);
    expect(await other.proposals.get(late.proposalId, asking)).toMatchObject({
      ...{ status: 'rejected', endedAt: late.expiresAt, cancelledAt: null },
    });
    expect(await store.read.proposals.dueAccounts(10)).toEqual([]);
    await expect(one.proposals.cancel(late.proposalId, {}, asking)).rejects.toThrow('voting on it ended');
  });

  it('keeps who had which power when a proposal was made, and each vote in a chain', async () => {
    const { store } = context;
    const [old, next] = [idOf('a'), idOf('z')];
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) } as const;
    const signingKey = { accountId: 'acc_one', credentialKind: 'api_key', name: 'k', algorithm: 'ed25519' } as const;
    await store.write(async (tx) => {
      await tx.apiKeys.insert(apiKeyRecord({ keyId: old, role: 'admin', rotatedTo: next }));
      await tx.apiKeys.insert(apiKeyRecord({ keyId: next, role: 'admin', prefix: 'b'.repeat(8) }));
      for (const [at, credentialId] of [old, next].entries())
        await tx.signingKeys.insert({
          ...{ ...signingKey, credentialId, keyId: `k${at}`, publicJwk: jwk, createdAt: at },
          ...{ revokedAt: null, lastUsedAt: null },
        });
    });
    const governance = of(store);
    const asking = requestContext({ credential: { id: next } });
    const other = idOf('c');
    await store.write((tx) => tx.apiKeys.insert(apiKeyRecord({ keyId: other, prefix: 'c'.repeat(8) })));
    await governance.daos.of('acc_one');
    const delegated = { delegateAddress: other, amount: parseTokens('10.5') };
    await governance.delegations.give(delegated, asking);
    const make = () =>
      governance.proposals.create({ title: 't', description: 'd', type: 'text', parameters: {} }, asking);
    const [proposal, same] = [await make(), await make()];
    const { recounts, audit } = store.read;
    const [snapshot, second] = await Promise.all(
      [proposal, same].map(({ proposalId }) => recounts.findSnapshot('acc_one', proposalId)),
    );
    expect(second?.root).toBe(snapshot?.root);
    const piece = await recounts.pieceAfter('acc_one', snapshot!.root, '');
    expect(await recounts.pieceAfter('acc_one', snapshot!.root, piece!.first_holder)).toBeNull();
    expect(await recounts.pieceWith('acc_one', snapshot!.root, 'a')).toBeNull();
    const leaf = leafIn(inflateRawSync((await recounts.pieceWith('acc_one', snapshot!.root, old))!).toString(), old);
    expect(leaf).toMatchObject({ balance: '1000000.00000000', delegations: [{ to: other, amount: '10.50000000' }] });
    // Of the key and of the one that it was rotated to.
    expect(leaf!.keys.map(({ key_id }) => key_id)).toEqual(['k0', 'k1']);
    const { accountId, proposalId } = proposal;
    expect(await audit.committing('acc_one', `governance-proposal ${proposalId}`)).toMatch(/^aud_/);
    const vote = {
      proposalId,
      holderId: old,
      vote: 'for',
      power: 1n,
      castAt: proposal.createdAt,
      body: '{}',
      signedBefore: 0,
    } as const;
    for (const revision of [1, 2, 3])
      await store.write((tx) => governance.voteProofs.voteProof(tx, asking, { ...vote, revision }));
    expect(await recounts.lastCast(accountId, proposalId)).toMatchObject({ number: 3 });
    const casts = await recounts.casts(accountId, proposalId, { after: 1, upTo: 3 });
    expect(casts.map((text) => JSON.parse(text).revision)).toEqual([2, 3]);
    expect(await recounts.lastCast(accountId, same.proposalId)).toBeNull();
  });
}
