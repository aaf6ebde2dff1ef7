import { MalformedDataError } from '../blocks/malformed-data-error.ts';
import { isNullOutpoint, type ParsedOutput, type ParsedTransaction, parseTransaction } from '../blocks/transaction.ts';
import { DomainError } from '../errors.ts';
import { outpointKey, type Txid } from '../outpoint.ts';
import { outputKind, witnessProgram } from '../relay-policy/standard-scripts.ts';
import type { ScriptError } from '../scripts/interpreter/script-error.ts';
import { BIP322_FLAGS, BIP322_UPGRADEABLE_FLAGS, type ScriptFlags } from '../scripts/interpreter/script-flags.ts';
import { type SpendObserver, spendVerifier } from '../scripts/interpreter/verify-spend.ts';
import { SIGHASH_ALL, SIGHASH_DEFAULT } from '../scripts/sighash-type.ts';
import { verifyCompact } from './compact-signature.ts';
import { type MessageVerdict, refused } from './message-verdict.ts';
import { type Proof, readProof } from './read-proof.ts';
import { COMPACT_SIZE, type MessageFormat, parseWitness, readSignatureText } from './signature-text.ts';
import { toSignOfWitness, toSpend, UNSPENDABLE_SCRIPT } from './virtual-transactions.ts';

/**
 * Of to_sign. A script can take microseconds for each unit (a long row of OP_HASH256), and nothing else is served meanwhile: this is some
 * 350 inputs, and a fraction of a second.
 */
export const MAX_WEIGHT = 100_000;

/**
 * Judges a signed message: BIP322 2.0.0 (simple, full, proof of funds), and compact signatures. `script` is the address's, `message` its
 * bytes. A signature without prefix is compact where it has 65 bytes and the address can have such ones, else simple. Never throws for
 * what the signature says.
 */
export function verifyMessage(script: Uint8Array, message: Uint8Array, signature: string): MessageVerdict {
  const { prefix, bytes } = readSignatureText(signature);
  if (bytes === null) return refused('invalid', prefix, 'the signature is not base64 (RFC 4648 §4, with padding)');
  if (bytes.length === 0) return refused('invalid', prefix, 'the signature is empty');
  if (prefix === null && bytes.length === COMPACT_SIZE && mayBeCompact(script))
    return verifyCompact(script, message, bytes);
  const format = prefix ?? 'simple';
  const spends = toSpend(script, message);
  const proof = readSignature(format, bytes, script, spends.txid);
  if (typeof proof === 'string') return refused('invalid', format, proof);
  const problem = formProblem(proof, format, spends.txid);
  if (problem) return refused('invalid', format, problem);
  if (proof.transaction.weight > MAX_WEIGHT)
    return refused('inconclusive', format, `to_sign has more than ${MAX_WEIGHT} weight units: it is not run here`);
  const challenge: ParsedOutput = { amountSats: 0n, scriptPubKey: Buffer.from(script).toString('hex') };
  return judge(proof.transaction, [challenge, ...proof.claimed], format);
}

const mayBeCompact = (script: Uint8Array): boolean => ['p2pkh', 'p2sh', 'p2wpkh'].includes(outputKind(script));

/** to_sign and what it claims, or why there is none. */
function readSignature(format: MessageFormat, bytes: Uint8Array, script: Uint8Array, spends: Txid): Proof | string {
  try {
    if (format === 'full') return { transaction: parseTransaction(bytes), claimed: [] };
    if (format === 'proof-of-funds') return readProof(bytes);
  } catch (error) {
    if (error instanceof MalformedDataError || error instanceof DomainError) return error.message;
    throw error;
  }
  if (witnessProgram(script) === null)
    return 'a simple signature is for segwit addresses (bc1…); others need a full one, or P2PKH a legacy one';
  const witness = parseWitness(bytes);
  if (witness === null) return 'a simple signature is a witness stack, and this is none';
  return { transaction: parseTransaction(toSignOfWitness(spends, witness)), claimed: [] };
}

/** BIP322's basic validation. */
function formProblem({ transaction }: Proof, format: MessageFormat, spends: Txid): string | null {
  const { inputs, outputs } = transaction;
  const [first] = inputs;
  if (!first || first.prev.txid !== spends || first.prev.vout !== 0)
    return "to_sign's first input does not spend to_spend: it signs another message, or for another address";
  const [only] = outputs;
  if (outputs.length !== 1 || only?.amountSats !== 0n || only.scriptPubKey !== UNSPENDABLE_SCRIPT.toString('hex'))
    return 'to_sign has exactly one output, which pays nothing to OP_RETURN';
  if (inputs.length > 1 && format !== 'proof-of-funds')
    return 'further inputs need a proof of funds (pof…), which says what they spend';
  if (new Set(inputs.map(({ prev }) => outpointKey(prev))).size < inputs.length)
    return 'to_sign spends an output twice';
  return inputs.some(({ prev }) => isNullOutpoint(prev)) ? 'to_sign has an input that spends nothing' : null;
}

function judge(transaction: ParsedTransaction, spent: readonly ParsedOutput[], format: MessageFormat): MessageVerdict {
  const named = (index: number, reason: string) =>
    transaction.inputs.length > 1 ? `input ${index}: ${reason}` : reason;
  const signatures = transaction.inputs.map(() => 0);
  try {
    const broken = brokenRule(transaction, spent, BIP322_UPGRADEABLE_FLAGS, signatures);
    // What breaks an upgradeable rule first may break a required one behind it.
    const required = broken?.error?.startsWith('DISCOURAGE_') ? brokenRule(transaction, spent, BIP322_FLAGS) : broken;
    if (required) return refused('invalid', format, named(required.index, required.reason), required.error);
    if (transaction.version !== 0 && transaction.version !== 2)
      return refused(
        'inconclusive',
        format,
        `to_sign has version ${transaction.version}, and only 0 and 2 have a meaning`,
      );
    if (broken) return refused('inconclusive', format, named(broken.index, broken.reason), broken.error);
  } catch (error) {
    if (error instanceof DomainError) return refused('inconclusive', format, error.message);
    throw error;
  }
  const [first, ...claims] = transaction.inputs;
  return {
    state: 'valid',
    format,
    reason: null,
    scriptError: null,
    validAt: { locktime: transaction.locktime, sequence: first?.sequence ?? 0 },
    claimed: claims.map(({ prev, sequence }, at) => ({
      outpoint: prev,
      output: spent[at + 1] as ParsedOutput,
      sequence,
      relativeLock: relativeLock(transaction, sequence),
      signatures: signatures[at + 1] ?? 0,
    })),
  };
}

/** BIP68: bit 31 turns it off, and bit 22 is the unit. */
const relativeLock = ({ version }: ParsedTransaction, sequence: number): number =>
  version < 2 || sequence >= 0x8000_0000 ? 0 : sequence & 0xffff;

interface BrokenRule {
  readonly index: number;
  readonly reason: string;
  /** null for BIP322's own rules. */
  readonly error: ScriptError | null;
}

/** The first that an input breaks; null where all are kept. `signatures` gets how many are right, of each input. */
function brokenRule(
  transaction: ParsedTransaction,
  spent: readonly ParsedOutput[],
  flags: ScriptFlags,
  signatures: number[] = [],
): BrokenRule | null {
  const observed = observe();
  const verify = spendVerifier(transaction, spent, flags, { observer: observed });
  for (const index of transaction.inputs.keys()) {
    const verdict = verify(index);
    if (!verdict.valid) return { index, reason: verdict.reason, error: verdict.error };
    const problem = observed.problem();
    if (problem) return { index, reason: problem, error: null };
    signatures[index] = observed.taken();
  }
  return null;
}

/** BIP322's rules that no flag of scripts covers. */
function observe(): SpendObserver & { problem(): string | null; taken(): number } {
  let problem: string | null = null;
  let signatures = 0;
  return {
    signature(hashType) {
      signatures++;
      if (hashType !== SIGHASH_ALL && hashType !== SIGHASH_DEFAULT)
        problem = 'a signature has a sighash type other than ALL (or DEFAULT in taproot)';
    },
    codeSeparator() {
      problem = 'a script has OP_CODESEPARATOR';
    },
    problem: () => problem,
    /** Right signatures since it was asked last. */
    taken() {
      const counted = signatures;
      signatures = 0;
      return counted;
    },
  };
}
