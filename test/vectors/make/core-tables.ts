/** Figures of Bitcoin Core's tables in src/test/data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseBtc } from '../../../src/core/amount.ts';
import { pushOf } from '../../../src/core/scripts/interpreter/instructions.ts';
import { opcodeOf } from '../../../src/core/scripts/opcodes.ts';
import { pushNumber } from '../../../src/core/scripts/push.ts';
import { tapLeaf } from '../../../src/core/taproot/script-tree.ts';
import { taprootOutput } from '../../../src/core/taproot/taproot-output.ts';

type Json = any;
/** Rows of one text are remarks. */
const tableOf = (core: string, name: string): Json[][] =>
  (JSON.parse(readFileSync(join(core, `src/test/data/${name}.json`), 'utf8')) as Json[][]).filter(
    (row) => row.length > 1 || name === 'key_io_invalid',
  );

/** Core's notation of scripts in tests: numbers, 0x and the bytes themselves, 'text' that is pushed, opcodes with or without OP_. */
function assembled(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return Buffer.concat(words.map(wordOf)).toString('hex');
}

function wordOf(word: string): Uint8Array {
  if (/^-?\d+$/.test(word)) return pushNumber(Number(word));
  if (word.startsWith('0x')) return Buffer.from(word.slice(2), 'hex');
  if (word.startsWith("'")) return pushOf(Buffer.from(word.slice(1, -1)));
  const opcode = opcodeOf(word.startsWith('OP_') ? word : `OP_${word}`);
  if (opcode === null) throw new Error(`no opcode: ${word}`);
  return Uint8Array.of(opcode);
}

/** As interpreter.h names errors; the table drops a prefix. */
const errorOf = (verdict: string): string => (verdict === 'NULLFAIL' ? 'SIG_NULLFAIL' : verdict);

/** Each script once: among those of the table some differ in their remark only. */
export function scriptRows(core: string): string[][] {
  const rows = tableOf(core, 'script_tests').map((row) => {
    const [witness, ...rest] = Array.isArray(row[0]) ? row : [[], ...row];
    const [scriptSig, scriptPubKey, flags, verdict] = rest as string[];
    const amount = witness.length === 0 ? [] : [`${parseBtc(witness.at(-1).toFixed(8))}`];
    const { items, outputKey } = witnessOf(witness.slice(0, -1));
    const script = (scriptPubKey as string).replace('#TAPROOTOUTPUT#', `0x${outputKey}`);
    return [
      assembled(scriptSig as string),
      assembled(script),
      flags as string,
      errorOf(verdict as string),
      ...amount,
      ...items,
    ];
  });
  return [...new Map(rows.map((row) => [row.join(' '), row])).values()];
}

/** The public key of the private key 1. */
const INTERNAL_KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/** A tapscript and its control block, the only leaf under that key, are written by placeholders. */
function witnessOf(witness: readonly string[]): { items: string[]; outputKey: string } {
  const script = witness.find((item) => item.startsWith('#SCRIPT#'));
  if (script === undefined) return { items: [...witness], outputKey: '' };
  const leafScript = assembled(script.slice('#SCRIPT#'.length));
  const { outputKey, leaves } = taprootOutput(
    Buffer.from(INTERNAL_KEY, 'hex'),
    tapLeaf(Buffer.from(leafScript, 'hex'), 0xc0),
  );
  const controlBlock = Buffer.from(leaves[0]!.controlBlock).toString('hex');
  return {
    items: witness.map((item) => (item === script ? leafScript : item === '#CONTROLBLOCK#' ? controlBlock : item)),
    outputKey: Buffer.from(outputKey).toString('hex'),
  };
}

export function transactionRows(core: string): string[][] {
  return ['valid', 'invalid'].flatMap((verdict) =>
    tableOf(core, `tx_${verdict}`).map(([outputs, transaction, flags]) => [
      verdict,
      flags === 'NONE' ? '' : flags,
      transaction,
      ...outputs.map(([txid, vout, script, amount = 0]: Json) =>
        [txid, vout >>> 0, assembled(script), amount].join(':'),
      ),
    ]),
  );
}

export function signatureHashRows(core: string): string[][] {
  return tableOf(core, 'sighash')
    .filter((row) => row.length === 5)
    .map(([transaction, script, index, type, hash]) => [transaction, script, index, type, hash]);
}

export function keyRows(core: string): string[][] {
  const valid = tableOf(core, 'key_io_valid').map(
    ([text, payload, { chain, isPrivkey, isCompressed, tryCaseFlip }]) => [
      chain,
      isPrivkey ? (isCompressed ? 'compressed' : 'uncompressed') : tryCaseFlip ? 'case' : 'address',
      payload,
      text,
    ],
  );
  const invalid = tableOf(core, 'key_io_invalid').map(([text]) => ['', 'invalid', '', text]);
  return [...valid, ...invalid];
}
