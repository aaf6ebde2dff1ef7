import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { abbreviatedOrigin, formatLabelLines, parseLabelLines } from '../../../src/core/wallets/label-lines.ts';

const TXID = 'f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd';
/** The test vector of BIP329. */
const VECTOR = `{ "type": "tx", "ref": "${TXID}", "label": "Transaction", "origin": "wpkh([d34db33f/84'/0'/0'])" }
{ "type": "addr", "ref": "bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c", "label": "Address" }
{ "type": "pubkey", "ref": "0283409659355b6d1cc3c32decd5d561abaac86c37a353b52895a5e6c196d6f448", "label": "Public Key" }
{ "type": "input", "ref": "${TXID}:0", "label": "Input" }
{ "type": "output", "ref": "${TXID}:1", "label": "Output", "spendable": false }
{ "type": "xpub", "ref": "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8", "label": "Extended Public Key" }
{ "type": "tx", "ref": "f546156d9044844e02b181026a1a407abfca62e7ea1159f87bbeaa77b4286c74", "label": "Account #1 Transaction", "origin": "wpkh([d34db33f/84'/0'/1'])" }
`;

function refusal(text: string): DomainError {
  try {
    parseLabelLines(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error(`accepted: ${text}`);
}

describe('BIP329 labels', () => {
  it('reads and writes the vector', () => {
    const { lines, ignored } = parseLabelLines(VECTOR);
    expect(ignored).toBe(0);
    expect(lines.map((line) => line.type)).toEqual(['tx', 'addr', 'pubkey', 'input', 'output', 'xpub', 'tx']);
    expect(lines[4]).toEqual({ type: 'output', ref: `${TXID}:1`, label: 'Output', spendable: false, extra: {} });
    const written = formatLabelLines(lines);
    expect(
      written
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(
      VECTOR.split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    );
    expect(parseLabelLines(written)).toEqual({ lines, ignored });
  });

  it('keeps further fields, ignores types that BIP329 does not define, passes over empty lines', () => {
    const line = `{"type":"addr","ref":"bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c","keypath":"/1/123","heights":[1,2]}`;
    const { lines, ignored } = parseLabelLines(`${line}\r\n\n{"type":"channel","ref":"x","label":"y"}`);
    expect(ignored).toBe(1);
    expect(lines[0]).toEqual({
      type: 'addr',
      ref: 'bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c',
      extra: { keypath: '/1/123', heights: [1, 2] },
    });
  });

  it.each([
    ['not json', 'one JSON object'],
    ['[]', 'one JSON object'],
    ['null', 'one JSON object'],
    ['{"ref":"x"}', 'type must be'],
    ['{"type":"tx"}', 'ref must be'],
    ['{"type":"tx","ref":"abc"}', 'a transaction id'],
    [`{"type":"output","ref":"${TXID}"}`, 'txid:index'],
    [`{"type":"output","ref":"${TXID}:1","spendable":"false"}`, 'without quotes'],
    [`{"type":"tx","ref":"${TXID}","spendable":true}`, 'output only'],
    [`{"type":"tx","ref":"${TXID}","label":7}`, 'label must be'],
    [`{"type":"tx","ref":"${TXID}","label":"${'x'.repeat(256)}"}`, '255'],
  ])('refuses %s and names the line', (line, reason) => {
    const error = refusal(`{"type":"tx","ref":"${TXID}","label":"fine"}\n\n${line}\n`);
    expect(error.code).toBe('invalid_label_file');
    expect(error.message).toContain('line 3:');
    expect(error.message).toContain(reason);
  });

  it('abbreviates the descriptor of a single-key wallet as origin', () => {
    expect(abbreviatedOrigin("sh(wpkh([d34db33f/49'/0'/0']xpub6C/0/*))#abcdefgh")).toBe(
      'sh(wpkh([d34db33f/49h/0h/0h]))',
    );
    expect(abbreviatedOrigin('wsh(sortedmulti(1,[d34db33f]xpub6C/0/*))#abcdefgh')).toBeNull();
  });
});
