/** Figures of the BIPs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** BIP340's table as it is, but for what it says of each row. */
export function schnorrRows(bips: string): string[][] {
  const [, ...lines] = readFileSync(join(bips, 'bip-0340/test-vectors.csv'), 'utf8').trim().split(/\r?\n/);
  return lines.map((line) => {
    const [index = '', secret = '', key = '', aux = '', message = '', signature = '', result] = line.split(',');
    const figures = [secret, key, aux, message, signature].map((hex) => hex.toLowerCase());
    return [index, ...figures, result === 'TRUE' ? 'valid' : 'invalid'];
  });
}

type Json = any;

/** BIP341's outputs, their leaves with hash and control block, and its transaction that spends by keys. */
export function walletRows(bips: string): string[][] {
  const { scriptPubKey, keyPathSpending } = JSON.parse(
    readFileSync(join(bips, 'bip-0341/wallet-test-vectors.json'), 'utf8'),
  ) as Json;
  const [{ given, inputSpending, auxiliary }] = keyPathSpending;
  const outputs = scriptPubKey.map(({ given: { internalPubkey, scriptTree }, intermediary, expected }: Json) => {
    const tree = (node: Json): Json =>
      Array.isArray(node)
        ? node.map(tree)
        : {
            script: node.script,
            version: node.leafVersion,
            hash: intermediary.leafHashes[node.id],
            controlBlock: expected.scriptPathControlBlocks[node.id],
          };
    return {
      internalKey: internalPubkey,
      tree: scriptTree && tree(scriptTree),
      merkleRoot: intermediary.merkleRoot,
      tweak: intermediary.tweak,
      outputKey: intermediary.tweakedPubkey,
      scriptPubKey: expected.scriptPubKey,
      address: expected.bip350Address,
    };
  });
  const spending = {
    unsigned: given.rawUnsignedTx,
    signed: auxiliary.fullySignedTx,
    spent: given.utxosSpent.map(({ scriptPubKey: script, amountSats }: Json) => [script, amountSats]),
    inputs: inputSpending.map(({ given: one, intermediary, expected }: Json) => ({
      index: one.txinIndex,
      hashType: one.hashType,
      privateKey: one.internalPrivkey,
      internalKey: intermediary.internalPubkey,
      merkleRoot: one.merkleRoot,
      tweakedPrivateKey: intermediary.tweakedPrivkey,
      message: intermediary.sigMsg,
      hash: intermediary.sigHash,
      signature: expected.witness[0],
    })),
  };
  return [...outputs, spending].map((row) => [JSON.stringify(row)]);
}

/** Above each group of PSBTs stands what they show. */
const KINDS: readonly [RegExp, (found: RegExpExecArray) => string][] = [
  [/^The following are invalid PSBTs/, () => 'invalid'],
  [/^The following are valid PSBTs/, () => 'valid'],
  [/^Fails Signer checks/, () => 'unsafe'],
  [/^A creator creating/, () => 'role'],
  [/^A combiner which orders/, () => 'sorted'],
  [/^The timelock for .* computed to be (\d+)/, ([, value]) => `locktime:${value}`],
  [/^The timelock for .* cannot be computed/, () => 'locktime:none'],
];

/** The PSBTs of BIP174, BIP370 and BIP371 in their order. `signed`: a valid one whose taproot signatures are all there. */
export function psbtRows(bips: string): string[][] {
  return ['174', '370', '371'].flatMap((bip) => {
    const rows: string[][] = [];
    let kind = '';
    let signed = false;
    for (const line of readFileSync(join(bips, `bip-0${bip}.mediawiki`), 'utf8').split('\n')) {
      for (const [heading, name] of KINDS) {
        const found = heading.exec(line);
        if (found) kind = name(found);
      }
      if (line.startsWith('* Case:')) signed = bip === '371' && /and (script path )?signatures?\s*$/.test(line);
      const psbt = /Base64 String: <pre>\s*([A-Za-z0-9+/=]+)/.exec(line)?.[1];
      if (psbt) rows.push([bip, signed ? 'signed' : kind, psbt]);
    }
    return rows;
  });
}
