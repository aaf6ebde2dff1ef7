/**
 * A recount of a proposal's export as docs/governance.md describes the file, with nothing of src: hashes and keys are those of node:crypto,
 * addresses' signatures those of bip322-js, and power is counted by the model.
 */
import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { Verifier } from 'bip322-js';
import type { Json } from './app.ts';
import { type ModelBallot, modelPower, modelTally, sum } from './governance-model.ts';

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`recount: ${what}`);
}

const sha256 = (...parts: readonly (Uint8Array | string)[]): Buffer =>
  hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part as string))), 'buffer');
/** RFC 8785. */
const canonical = (value: Json): string =>
  JSON.stringify(value, (_, member) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(
          Object.keys(member)
            .sort()
            .map((name) => [name, member[name]]),
        )
      : member,
  );
const leafOf = (text: string): Buffer => sha256('\0', text);
const above = (left: Buffer, right: Buffer): Buffer => sha256('\x01', left, right);

/** RFC 6962 §2.1, as it is defined. */
function treeOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length < 2) return leaves[0] ?? sha256();
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return above(treeOf(leaves.slice(0, half)), treeOf(leaves.slice(half)));
}
/** RFC 9162 §2.1.3.2. */
function rootBy(leaf: Buffer, { position, proof }: Json, size: number): string {
  let [at, last, node] = [position as number, size - 1, leaf];
  must(at <= last, 'record');
  for (const text of proof) {
    const other = Buffer.from(text, 'hex');
    must(last !== 0, 'record');
    if (at % 2 === 1 || at === last) {
      node = above(other, node);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else node = above(node, other);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  must(last === 0, 'record');
  return node.toString('hex');
}

/** The head is what the log's key signed. `pinned`: its 32 bytes; null: the file's own is believed. */
function checkHead({ log, size, root, note, verifiers }: Json, pinned: Buffer | null): void {
  const origin = /^[^\n]+/.exec(note)?.[0];
  must(origin?.endsWith(`/${log}`) === true, 'head: another log');
  const text = `${origin}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`;
  const keys: Buffer[] = pinned === null ? verifiers.map((one: string) => keyIn(one)) : [pinned];
  const signatures: Buffer[] = [...note.matchAll(/^— (\S+) (\S+)$/gm)]
    .filter(([, name]) => name === origin)
    .map(([, , value]) => Buffer.from(value, 'base64').subarray(4));
  const by = (x: Buffer): KeyObject =>
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' });
  const signed = keys.some((x) => signatures.some((value) => verify(null, Buffer.from(text), by(x), value)));
  must(note.startsWith(`${text}\n`) && signed, 'head: not signed');
}
const keyIn = (verifier: string): Buffer => Buffer.from(verifier.split('+').slice(2).join('+'), 'base64').subarray(1);

/** RFC 9421 §2.5: the base of the request that casts the vote, made anew but for whom it was sent to and what it says of itself. */
function checkRequest(cast: Json, path: string, jwk: Json): { created: number; nonce: string } {
  const { base, value, body, key_id } = cast.proof;
  const { kty, crv, x, y } = jwk;
  must(sha256(JSON.stringify({ crv, kty, x, y })).toString('base64url') === key_id, 'key');
  const [, names = '', parameters = ''] = /\n"@signature-params": \(([^)]*)\)(.*)$/.exec(base) ?? [];
  const known: Record<string, string> = {
    ...{ '"@method"': 'POST', '"@path"': path, '"@query"': '?', '"content-type"': 'application/json' },
    '"content-digest"': `sha-256=:${sha256(body).toString('base64')}:`,
  };
  const lines = (base as string).split('\n');
  const made = names.split(' ').map((name, at) => `${name}: ${known[name] ?? lines[at]?.slice(name.length + 2)}`);
  must(
    Object.keys(known).every((name) => names.split(' ').includes(name)),
    'request: not covered',
  );
  must([...made, `"@signature-params": (${names})${parameters}`].join('\n') === base, 'request: another');
  const [key, bytes, signature] = [
    createPublicKey({ key: jwk, format: 'jwk' }),
    Buffer.from(base),
    Buffer.from(value, 'base64'),
  ];
  must(
    kty === 'OKP'
      ? verify(null, bytes, key, signature)
      : verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature),
    'request: signature',
  );
  const said = (name: string) => new RegExp(`;${name}="?([^;"]*)`).exec(parameters)?.[1];
  must(said('keyid') === key_id && said('tag') === 'ashlar', 'request: for another');
  const { vote, voting_power } = JSON.parse(body);
  must(vote === cast.vote && String(voting_power) === cast.power, 'request: another vote');
  return { created: Number(said('created')), nonce: said('nonce')! };
}

export interface Count {
  readonly status: string;
  readonly for: bigint;
  readonly against: bigint;
  readonly total: bigint;
  readonly voters: number;
  readonly cast: number;
}

/** Throws the first that is wrong. */
export function recountAlone(lines: readonly string[], pinned: Buffer | null = null): Count {
  const all = lines.map((line) => JSON.parse(line) as Json);
  const of = (type: string): Json[] => all.filter((line) => line.type === type);
  const once = ['proposal', 'head', 'tally'].map(of);
  must(
    once.every(({ length }) => length === 1),
    'lines',
  );
  const [{ format, statement }, head, tally] = once.map(([line]) => line) as [Json, Json, Json];
  must(format === 'ashlar-governance-1', 'format');
  const { proposal_id: id, dao, network, snapshot, settings } = statement;
  must(head.log === dao, 'head: another log');
  checkHead(head, pinned);

  const said = new Map<string, Json>();
  for (const record of of('record')) {
    must(rootBy(leafOf(record.entry), record, head.size) === head.root, 'record');
    const { log, outcome, commitment, time } = JSON.parse(record.entry);
    must(log === dao && outcome === 'done', 'record');
    const [kind, about, ...rest] = commitment.split(' ');
    said.set(kind === 'governance-key' ? about : `${kind} ${about}`, { rest: rest.join(' '), jwk: record.jwk, time });
  }
  const digest = sha256(canonical(statement)).toString('hex');
  must(said.get(`governance-proposal ${id}`)?.rest === `${snapshot.root} ${digest}`, 'proposal');

  const leaves = of('leaf').map(({ leaf }) => leaf);
  const ids: string[] = leaves.map(({ holder_id }) => holder_id);
  const root = treeOf(leaves.map((leaf) => leafOf(canonical(leaf)))).toString('hex');
  must(root === snapshot.root && ids.length === snapshot.holders && new Set(ids).size === ids.length, 'snapshot');
  const units = (amount: string) => BigInt(amount.replace('.', ''));
  const had = {
    balances: leaves.map(({ balance }) => units(balance)),
    delegations: leaves.flatMap(({ delegations }, from) =>
      delegations.map((one: Json) => ({ from, to: ids.indexOf(one.to), units: units(one.amount) })),
    ),
  };
  const powers = ids.map((_, at) => modelPower(had, at));

  let chain: Buffer = Buffer.alloc(32);
  const ballots: ModelBallot[] = [];
  const [revisions, signedAt, nonces] = [new Map<string, number>(), new Map<string, number>(), new Set<string>()];
  const [opened, closed] = [Date.parse(statement.created_at), Date.parse(statement.expires_at)];
  for (const [at, { cast }] of of('cast').entries()) {
    const { holder_id, number, revision, proof, vote } = cast;
    const [holder, power, cast_at] = [ids.indexOf(holder_id), BigInt(cast.power), Date.parse(cast.cast_at)];
    must(number === at + 1, 'vote: missing');
    must(revision === (revisions.get(holder_id) ?? 0) + 1, 'vote: twice');
    revisions.set(holder_id, revision);
    const { own, out, in: received } = powers[holder] ?? { own: 0n, out: 0n, in: 0n };
    must(power <= own + out + received && cast_at >= opened && cast_at < closed, 'vote: more than it has');
    if (proof.kind === 'request') {
      const enrolled = said.get(proof.key_id);
      const jwk =
        leaves[holder]?.keys.find(({ key_id }: Json) => key_id === proof.key_id)?.jwk ??
        (enrolled?.rest === holder_id ? enrolled.jwk : undefined);
      must(jwk !== undefined, 'vote: a stranger’s key');
      const { created, nonce } = checkRequest(cast, `/v1/governance/proposals/${id}/vote`, jwk);
      must(created * 1000 <= closed + 300_000 && created * 1000 <= cast_at + 30_000, 'vote: signed later');
      must(!nonces.has(`${proof.key_id} ${nonce}`), 'vote: twice');
      nonces.add(`${proof.key_id} ${nonce}`);
      must(created >= (signedAt.get(holder_id) ?? 0), 'vote: an earlier one');
      signedAt.set(holder_id, created);
    }
    if (proof.kind === 'message') {
      const text = `ashlar-governance-vote\ndao: ${dao}\nnetwork: ${network}\nproposal: ${id}\nvote: ${vote}\npower: ${power}\nrevision: ${revision}\nsnapshot: ${snapshot.root}`;
      const signature = proof.signature.replace(/^smp/, '');
      must(Verifier.verifySignature(leaves[holder].address, text, signature), 'vote: message');
    }
    if (holder >= 0) ballots.push({ holder, vote, power });
    chain = sha256(chain, leafOf(canonical(cast)));
  }

  const sums = modelTally(had, ballots);
  const total = sum(powers.map(({ own, out }) => own + out));
  const cast = sums.for + sums.against;
  const enough = total > 0n && 100n * cast >= BigInt(settings.quorum_percent) * total;
  const passes = enough && 100n * sums.for > BigInt(settings.threshold_percent) * cast;
  const ends = tally.cancelled ? 'rejected' : passes ? 'passed' : 'rejected';
  const status = tally.status === 'active' && !tally.cancelled ? 'active' : ends;
  const end = tally.cancelled ? 'cancelled' : ends;
  const counted = `${of('cast').length} ${chain.toString('hex')}`;
  if (status === 'active') must((said.get(`governance-votes ${id}`)?.rest ?? counted) === counted, 'votes');
  else must(said.get(`governance-end ${id}`)?.rest === `${end} ${counted}`, 'votes');
  const last = new Map(ballots.map(({ holder, power }) => [holder, power]));
  const voters = [...last.values()].filter((power) => power > 0n).length;
  const count = { status, ...sums, total, voters, cast: of('cast').length };
  const shown = [tally.status, tally.votes_for, tally.votes_against, tally.total_power, tally.voters];
  const found = [status, `${sums.for}`, `${sums.against}`, `${total}`, count.voters];
  must(JSON.stringify(shown) === JSON.stringify(found), 'tally');
  return count;
}
