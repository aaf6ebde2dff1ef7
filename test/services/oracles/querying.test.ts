/** Oracles asked under their URLs, in every form that is read, and in those that are not. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventDescriptor } from '../../../src/core/dlc/oracle-event.ts';
import type { Store } from '../../../src/store/store.ts';
import { type ForeignEvent, foreignOracle } from '../../builders/foreign-oracle.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, type TemporarySqlite } from '../../builders/stores.ts';
import { COIN, context, openOracleSetup, refusal } from './oracle-setup.ts';

let sqlite: TemporarySqlite;
let store: Store;
let server: Server;
let url: string;
/** By path; absent: 404. */
let pages: Map<string, { type: string; body: string | Uint8Array; status?: number }>;
let asked: string[];

beforeEach(async () => {
  sqlite = await openTemporarySqlite();
  store = sqlite.store;
  await store.write((tx) => tx.accounts.insert(accountRecord()));
  pages = new Map();
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url as string);
    const page = pages.get(request.url as string);
    if (page === undefined) response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not here"}');
    else response.writeHead(page.status ?? 200, { 'content-type': page.type }).end(page.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dlc`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await sqlite.close();
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const json = (value: unknown) => ({ type: 'application/json', body: JSON.stringify(value) });

async function registered() {
  const { oracles } = openOracleSetup(store);
  const foreign = foreignOracle();
  const oracle = await oracles.register({ name: 'of others', publicKey: foreign.publicKey, url: `${url}/` }, context());
  return { oracles, foreign, oracle };
}

/** As kormir and rust-dlc write them (serde, camelCase). */
const takenApart = (said: ForeignEvent, publicKey: string) => ({
  announcementSignature: hex(said.announcementSignature),
  oraclePublicKey: publicKey,
  oracleEvent: {
    oracleNonces: said.event.nonces.map(hex),
    eventMaturityEpoch: said.event.maturityEpoch,
    eventDescriptor: descriptorOf(said.event.descriptor),
    eventId: said.event.eventId,
  },
});
const descriptorOf = (descriptor: EventDescriptor) =>
  descriptor.kind === 'enum'
    ? { enumEvent: { outcomes: descriptor.outcomes } }
    : {
        digitDecompositionEvent: {
          base: descriptor.base,
          isSigned: descriptor.signed,
          unit: descriptor.unit,
          precision: descriptor.precision,
          nbDigits: descriptor.digits,
        },
      };

const NUMBER: EventDescriptor = { kind: 'digits', base: 2, signed: true, unit: 'usd/btc', precision: -1, digits: 2 };

describe('announcements that are asked for', () => {
  it.each([COIN, NUMBER])('are read in every form ($kind)', async (descriptor) => {
    const { oracles, foreign, oracle } = await registered();
    expect(oracle.url).toBe(url);
    const forms = [
      (said: ForeignEvent) => json(takenApart(said, foreign.publicKey)),
      (said: ForeignEvent) => json(hex(said.announcement)),
      (said: ForeignEvent) => json({ announcement: hex(said.announcement), event_id: 'ignored' }),
      (said: ForeignEvent) => json({ result: { announcement: hex(said.announcement) }, error: null }),
      (said: ForeignEvent) => ({ type: 'text/plain', body: `${hex(said.announcement)}\n` }),
      (said: ForeignEvent) => ({ type: 'application/octet-stream', body: said.announcement }),
    ];
    for (const [at, form] of forms.entries()) {
      const said = foreign.announce(descriptor, `form ${at}/${descriptor.kind}`);
      pages.set(`/dlc/announcement/${encodeURIComponent(said.event.eventId)}`, form(said));
      const event = await oracles.fetchAnnouncement('acc_one', oracle, said.event.eventId);
      expect(event.announcement, String(at)).toBe(hex(said.announcement));
    }
  });

  it('are found by their digest on an oracle explorer, and are asked for once', async () => {
    const { oracles, foreign, oracle } = await registered();
    const said = foreign.announce(COIN, 'named otherwise');
    const digest = createHash('sha256').update(said.announcement).digest('hex');
    pages.set(`/dlc/announcements/${digest}`, json({ result: { announcement: hex(said.announcement) } }));
    const event = await oracles.fetchAnnouncement('acc_one', oracle, digest);
    expect(event.eventId).toBe('named otherwise');
    asked.length = 0;
    expect(await oracles.fetchAnnouncement('acc_one', oracle, 'named otherwise')).toEqual(event);
    expect(asked).toEqual([]);
  });

  it('are not taken of another oracle, of another event, badly signed, or unreadable', async () => {
    const { oracles, foreign, oracle } = await registered();
    const ask = (eventId: string) => refusal(oracles.fetchAnnouncement('acc_one', oracle, eventId));
    const answer = (said: ForeignEvent, publicKey = foreign.publicKey) => json(takenApart(said, publicKey));
    expect(await ask('nowhere')).toBe('announcement_missing');
    pages.set('/dlc/announcement/a', answer(foreign.announce(COIN, 'another')));
    expect(await ask('a')).toBe('announcement_missing');
    const stranger = foreignOracle();
    pages.set('/dlc/announcement/b', answer(stranger.announce(COIN, 'b'), stranger.publicKey));
    expect(await ask('b')).toBe('announcement_missing');
    pages.set('/dlc/announcement/c', answer(stranger.announce(COIN, 'c')));
    expect(await ask('c')).toBe('invalid_signature');
    const bodies = [
      '',
      'null',
      '[]',
      '{}',
      '{"announcement":5}',
      '"zz"',
      `"${'ab'.repeat(40)}"`,
      '{"announcement":',
      '\u0000',
    ];
    for (const body of bodies) {
      pages.set('/dlc/announcement/d', { type: 'application/json', body });
      expect(await ask('d'), body).toBe('announcement_missing');
    }
    pages.set('/dlc/announcement/e', { ...answer(foreign.announce(COIN, 'e')), status: 500 });
    expect(await ask('e')).toBe('announcement_missing');
    expect((await oracles.listEvents({}, { limit: 10, offset: 0 }, context())).data).toEqual([]);
  });

  it('are asked for under no path but their own', async () => {
    const { oracles, oracle } = await registered();
    for (const eventId of ['..', '.', '../../admin', 'a?b#c', 'x'.repeat(2_100)])
      expect(await refusal(oracles.fetchAnnouncement('acc_one', oracle, eventId))).toBe('announcement_missing');
    expect(asked).toEqual(['/dlc/announcement/..%2F..%2Fadmin', '/dlc/announcement/a%3Fb%23c']);
    const { oracleId } = await oracles.register({ name: 'silent', publicKey: foreignOracle().publicKey }, context());
    const silent = await oracles.get(oracleId, context());
    expect(await refusal(oracles.fetchAnnouncement('acc_one', silent, 'x'))).toBe('announcement_missing');
  });
});

describe('attestations that are asked for', () => {
  async function waiting(descriptor: EventDescriptor = COIN) {
    const { oracles, foreign, oracle } = await registered();
    const said = foreign.announce(descriptor);
    const event = await oracles.addAnnouncement(said.announcement, context());
    const { oracleId, eventId } = event;
    const ask = () => oracles.fetchAttestation('acc_one', oracleId, eventId);
    const path = `/dlc/attestation/${encodeURIComponent(eventId)}`;
    const digest = createHash('sha256').update(said.announcement).digest('hex');
    return { oracles, foreign, oracle, said, ask, path, eventId, explorer: `/dlc/announcements/${digest}` };
  }

  it('are read in every form', async () => {
    const parts = (one: Awaited<ReturnType<typeof waiting>>, outcomes: string[]) => ({
      oraclePublicKey: one.foreign.publicKey,
      signatures: one.said.signatures(...outcomes).map(hex),
      outcomes,
    });
    for (const [descriptor, outcomes] of [
      [COIN, ['tails']],
      [NUMBER, ['-', '1', '0']],
    ] as const) {
      const forms = [
        (one: Awaited<ReturnType<typeof waiting>>) => json({ eventId: one.eventId, ...parts(one, [...outcomes]) }),
        // Older servers do not say of which event it is.
        (one: Awaited<ReturnType<typeof waiting>>) => json(parts(one, [...outcomes])),
        (one: Awaited<ReturnType<typeof waiting>>) => json({ attestation: hex(one.said.attest(...outcomes)) }),
        (one: Awaited<ReturnType<typeof waiting>>) => ({ type: 'text/plain', body: hex(one.said.attest(...outcomes)) }),
        (one: Awaited<ReturnType<typeof waiting>>) => ({
          type: 'application/octet-stream',
          body: one.said.attest(...outcomes),
        }),
      ];
      for (const form of forms) {
        const one = await waiting(descriptor);
        expect(await one.ask()).toBeNull();
        pages.set(one.path, form(one));
        const attestation = await one.ask();
        expect(attestation).toMatchObject({ source: 'fetched', outcomes: JSON.stringify(outcomes) });
        expect(attestation?.attestation).toBe(hex(one.said.attest(...outcomes)));
      }
    }
  });

  it('are found on an oracle explorer, once it has them', async () => {
    const one = await waiting();
    const page = (attestations: string | null) =>
      json({ result: { id: 'x', announcement: hex(one.said.announcement), attestations, outcome: null }, error: null });
    pages.set(one.explorer, page(null));
    expect(await one.ask()).toBeNull();
    pages.set(one.explorer, page(hex(one.said.attest('heads'))));
    expect((await one.ask())?.outcomes).toBe('["heads"]');
  });

  it("of bitcoin-s hold: the example of the oracle explorer's documentation", async () => {
    const { oracles } = openOracleSetup(store);
    const announcement =
      'fdd82499090fdac1f543cd9698f3a82bd49589d042630649ea1be2ec1242bd6344f8e4b43bd0d6f305a90e149ab1600638750dbf4c59d6d8b4dd877cd0d8f3afd33a8a9e78cf417c9b410873051244fced1e82676f4ca6328ad9e18dcba9d1b04636b0e5fdd822350001342813ce0696df9b1982a1bbf76b8608587fe3582a1b397469b9e12351cefba870dbd880fdd806060002013101320474657374';
    const attestations =
      'fdd86869047465737478cf417c9b410873051244fced1e82676f4ca6328ad9e18dcba9d1b04636b0e50001342813ce0696df9b1982a1bbf76b8608587fe3582a1b397469b9e12351cefba8a9b939a76cb73153b07e74e6b608094f85e13499ed4b4158d8a2fe7ddaeaefa80131';
    const id = '780410ad590eda01f38ebc0304b08875b1e0bb1dc5c19de7f3578436f109000d';
    pages.set(
      `/dlc/announcements/${id}`,
      json({ result: { id, announcement, attestations, outcome: '1' }, error: null }),
    );
    const publicKey = '78cf417c9b410873051244fced1e82676f4ca6328ad9e18dcba9d1b04636b0e5';
    const oracle = await oracles.register({ name: 'oracle', publicKey, url }, context());
    const event = await oracles.fetchAnnouncement('acc_one', oracle, id);
    expect(event).toMatchObject({ eventId: 'test', maturityEpoch: 1_893_456_000, announcement });
    expect((await oracles.fetchAttestation('acc_one', oracle.oracleId, 'test'))?.outcomes).toBe('["1"]');
  });

  it('are not taken where they do not hold; nothing is thrown', async () => {
    const one = await waiting();
    const wrong = foreignOracle().announce(COIN, one.eventId);
    for (const page of [
      json({ attestation: hex(wrong.attest('heads')) }),
      json({ attestation: hex(one.foreign.announce(COIN, one.eventId).attest('heads')) }),
      json({ attestation: hex(one.said.attest('edge')) }),
      json('nonsense'),
      { ...json({}), status: 302 },
      { type: 'text/html', body: '<p>' },
    ]) {
      pages.set(one.path, page);
      expect(await one.ask()).toBeNull();
    }
    expect(await one.oracles.attestationsOf('acc_one', one.oracle.oracleId, one.eventId)).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await one.ask()).toBeNull();
    server.listen(0, '127.0.0.1');
  });
});
