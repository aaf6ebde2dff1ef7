/** Exports made by whoever holds the log's key: what the verifier checks beside hashes and the head's signature. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/audit-log/canonical-json.ts';
import { recordLine } from '../../../src/core/audit-log/export-lines.ts';
import { createExportVerifier } from '../../../src/core/audit-log/verify-export.ts';
import { FIRST_PREVIOUS_HASH, sealHash } from '../../../src/core/merkle/hash-chain.ts';
import { checkpointText, signNote, verifierText } from '../../../src/core/merkle/signed-note.ts';
import { leafHash, rootOf } from '../../../src/core/merkle/tree-hash.ts';
import { thumbprintOf } from '../../../src/core/request-signatures/signing-algorithm.ts';

const LOG = 'acc_one';
const head = generateKeyPairSync('ed25519');
const publicKey = head.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);

const client = generateKeyPairSync('ed25519');
const { x = '' } = client.publicKey.export({ format: 'jwk' });
const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
const keyId = thumbprintOf(jwk);

const entry = (more: object = {}) => ({
  ...{ account: LOG, credential: { id: 'key_one', kind: 'api_key', signature_required: true }, digest: null },
  ...{ id: 'aud_one', log: LOG, method: 'POST', operation: 'wallet.create', outcome: 'done', path: '/', version: 1 },
  ...{ remote_address: '127.0.0.1', request_id: 'r', signature: null, target: null, time: '2026-11-21T00:00:00.000Z' },
  ...more,
});

const DIGEST = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';
const BASE = [
  ...['"@method": POST', '"@path": /', '"@query": ?', `"content-digest": ${DIGEST}`],
  `"@signature-params": ("@method" "@path" "@query" "content-digest");created=1;keyid="${keyId}";nonce="n"`,
].join('\n');
/** A request that the client signed, or whose base was. */
const signed = (more: { base?: string; nonce?: string; digest?: string; method?: string; value?: string } = {}) => {
  const { base = BASE, nonce = 'n', digest = DIGEST, method = 'POST' } = more;
  const value = more.value ?? sign(null, Buffer.from(base, 'latin1'), client.privateKey).toString('base64');
  const created = '1970-01-01T00:00:01.000Z';
  return entry({ digest, method, signature: { algorithm: 'ed25519', base, created, key_id: keyId, nonce, value } });
};

/** A whole export of one log, its head signed by the log's key for `origin`. */
function exported(texts: readonly string[], { log = LOG, origin = `ashlar/here/${LOG}`, key = jwk as object } = {}) {
  const leaves = texts.map((text) => leafHash(Buffer.from(text)));
  const root = rootOf(leaves);
  const verifier = { name: origin, publicKey };
  const text = checkpointText({ origin, size: texts.length, root });
  const note = signNote(text, verifier, (message) => sign(null, message, head.privateKey));
  const header = { type: 'log', format: 'ashlar-audit-1', log, size: texts.length, root: root.toString('hex'), note };
  let previous = FIRST_PREVIOUS_HASH;
  const records = texts.map((one, position) => {
    const seal = { position, previous_hash: previous.toString('hex'), hash: '' };
    previous = sealHash(previous, leaves[position]!);
    return recordLine({ ...seal, hash: previous.toString('hex') }, one).trimEnd();
  });
  const keyLine = JSON.stringify({ type: 'key', key_id: keyId, jwk: key });
  return [JSON.stringify({ ...header, verifiers: [verifierText(verifier)] }), keyLine, ...records];
}

function verify(lines: readonly string[], pinned: readonly Uint8Array[] = [publicKey]) {
  const verifier = createExportVerifier(pinned);
  for (const line of lines) verifier.take(line);
  return verifier.end();
}

describe('an export whose head the right key signed', () => {
  it('is taken, its request signatures counted', () => {
    const lines = exported([canonicalJson(entry()), canonicalJson(signed())]);
    expect(verify(lines)).toMatchObject([{ log: LOG, size: 2, pinned: true, signatures: 1, unknownKeys: 0 }]);
  });

  it('is taken however its clients wrote what they signed', () => {
    const beside = signed({ base: BASE.replace(DIGEST, `sha-512=:AAAA:, ${DIGEST}`) });
    const escaped = signed({ base: BASE.replace('nonce="n"', 'nonce="a\\"b\\\\c"'), nonce: 'a"b\\c' });
    const lines = exported([canonicalJson(beside), canonicalJson(escaped)]);
    expect(verify(lines)).toMatchObject([{ signatures: 2 }]);
  });

  it("is refused where the head is another log's, or a record is", () => {
    const own = [canonicalJson(entry())];
    const others = [canonicalJson(entry({ log: 'acc_two', account: 'acc_two' }))];
    expect(() => verify(exported(own, { origin: 'ashlar/here/acc_two' }))).toThrow(/not the one that was signed/);
    expect(() => verify(exported(others))).toThrow(/belongs to the log acc_two/);
  });

  it('is refused where an entry is no canonical JSON, which two readers may read differently', () => {
    const text = canonicalJson(entry());
    for (const other of [text.replace('"version":1', '"version":1,"version":2'), text.replace(':1}', ': 1}')]) {
      expect(() => verify(exported([other]))).toThrow(/canonical/);
    }
  });

  it('is refused where an entry says something else than the request that was signed', () => {
    const wrong: [ReturnType<typeof signed>, RegExp][] = [
      [signed({ value: Buffer.alloc(64).toString('base64') }), /does not verify/],
      [signed({ method: 'PUT' }), /method is not what/],
      [signed({ base: BASE.replace('"@path": /', '"@path": /elsewhere') }), /path is not what/],
      [signed({ base: BASE.replace('"@query": ?', '"@query": ?a=b') }), /query is not what/],
      [signed({ digest: DIGEST.replace('47', '48') }), /digest is not what/],
      [signed({ nonce: 'another' }), /nonce is not the one/],
      [signed({ base: BASE.replace(keyId, 'another') }), /key is not the one/],
    ];
    for (const [one, message] of wrong) expect(() => verify(exported([canonicalJson(one)]))).toThrow(message);
  });

  it('is refused where a key is given under the name of another', () => {
    const { x: other = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const lines = exported([canonicalJson(entry())], { key: { ...jwk, x: other } });
    expect(() => verify(lines)).toThrow(/another thumbprint/);
  });
});
