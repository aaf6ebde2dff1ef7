import type { ParsedInput, ParsedOutput } from '../blocks/transaction.ts';
import { InstructionReader } from '../scripts/interpreter/instructions.ts';
import { OP } from '../scripts/interpreter/opcodes.ts';
import { pushesOf } from '../scripts/script-elements.ts';
import { outputKind, witnessProgram } from './standard-scripts.ts';

const MAX_P2SH_SIGOPS = 15;
const MAX_SIGOPS_OUTSIDE_WITNESSES = 2500;
const MAX_KEYS_PER_MULTISIG = 20;
const MAX_WITNESS_SCRIPT = 3600;
const MAX_WITNESS_ITEMS = 100;
const MAX_WITNESS_ITEM = 80;
const ANNEX_TAG = 0x50;
const LEAF_MASK = 0xfe;
const TAPSCRIPT = 0xc0;

/** What Bitcoin Core's relay policy has against an input, in its words; null where nothing. */
export function nonstandardInput(input: ParsedInput, spent: ParsedOutput): string | null {
  const script = Buffer.from(spent.scriptPubKey, 'hex');
  return hasStandardScripts(input, script) ? witnessProblem(input, script) : 'bad-txns-nonstandard-inputs';
}

/** BIP54: signature checks outside of witnesses, in scripts that spend and in those that are spent. Relay's rule since Bitcoin Core 30. */
export function hasTooManySignatureOperations(inputs: readonly ParsedInput[], spent: readonly ParsedOutput[]): boolean {
  let count = 0;
  for (const [index, { scriptSig }] of inputs.entries()) {
    const script = Buffer.from((spent[index] as ParsedOutput).scriptPubKey, 'hex');
    const executed = outputKind(script) === 'p2sh' ? pushesOf(scriptSig)?.at(-1) : script;
    count += signatureOperations(scriptSig) + (executed ? signatureOperations(executed) : 0);
  }
  return count > MAX_SIGOPS_OUTSIDE_WITNESSES;
}

/** AreInputsStandard: only output kinds that have a meaning, and not too many signature checks behind a P2SH hash. */
function hasStandardScripts(input: ParsedInput, script: Uint8Array): boolean {
  const kind = outputKind(script);
  if (kind === 'nonstandard' || kind === 'witness-unknown' || kind === 'null-data') return false;
  if (kind !== 'p2sh') return true;
  const redeemScript = pushesOf(input.scriptSig)?.at(-1);
  return redeemScript !== undefined && signatureOperations(redeemScript) <= MAX_P2SH_SIGOPS;
}

/** IsWitnessStandard: bounds on what witnesses carry. */
function witnessProblem(input: ParsedInput, script: Uint8Array): string | null {
  const { witness } = input;
  if (witness.length === 0) return null;
  const nested = outputKind(script) === 'p2sh';
  const outer = nested ? pushesOf(input.scriptSig)?.at(-1) : script;
  const program = outer ? witnessProgram(outer) : null;
  if (!program || outputKind(outer as Uint8Array) === 'p2a') return 'bad-witness-nonstandard';
  const fits = (items: readonly Uint8Array[]) => items.every(({ length }) => length <= MAX_WITNESS_ITEM);
  if (program.version === 0 && program.program.length === 32) {
    const items = witness.slice(0, -1);
    const size = (witness[witness.length - 1] as Uint8Array).length;
    if (size > MAX_WITNESS_SCRIPT || items.length > MAX_WITNESS_ITEMS || !fits(items)) return 'bad-witness-nonstandard';
  }
  if (program.version === 1 && program.program.length === 32 && !nested) {
    if (witness.length >= 2 && witness[witness.length - 1]?.[0] === ANNEX_TAG) return 'bad-witness-nonstandard';
    const control = witness.length >= 2 ? (witness[witness.length - 1] as Uint8Array) : null;
    if (control?.length === 0) return 'bad-witness-nonstandard';
    if (control && ((control[0] as number) & LEAF_MASK) === TAPSCRIPT && !fits(witness.slice(0, -2)))
      return 'bad-witness-nonstandard';
  }
  return null;
}

/** Counted before running: OP_CHECKMULTISIG as many as the number before it says, else the most there can be. */
export function signatureOperations(script: Uint8Array): number {
  const reader = new InstructionReader(script);
  let count = 0;
  let before = 0xff;
  while (reader.next()) {
    const { opcode } = reader;
    if (opcode === OP.CHECKSIG || opcode === OP.CHECKSIGVERIFY) count++;
    else if (opcode === OP.CHECKMULTISIG || opcode === OP.CHECKMULTISIGVERIFY)
      count += before >= OP[1] && before <= OP[16] ? before - OP[1] + 1 : MAX_KEYS_PER_MULTISIG;
    before = opcode;
  }
  return count;
}
