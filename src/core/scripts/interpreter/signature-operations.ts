import { checkKeyEncoding, checkSignatureEncoding } from './ecdsa-encoding.ts';
import type { Execution, Operation, OperationTable } from './execution.ts';
import { findAndDelete } from './find-and-delete.ts';
import { pushOf } from './instructions.ts';
import { OP } from './opcodes.ts';
import { fail } from './script-error.ts';
import { encodeNumber } from './script-number.ts';
import type { TapscriptContext } from './script-version.ts';
import { truth } from './value-operations.ts';

const WEIGHT_PER_SIGNATURE = 50;
const MAX_KEYS = 20;
const MAX_OPERATIONS = 201;

/** Whether the signature is right. Fails where the script must fail because of it. */
function checkSignature(run: Execution, signature: Uint8Array, key: Uint8Array): boolean {
  if (run.tapscript) return checkInTapscript(run, run.tapscript, signature, key);
  const code = scriptCode(run, [signature]);
  checkSignatureEncoding(signature, run.flags);
  checkKeyEncoding(key, run.flags, run.version === 'witness-v0');
  const right = run.checks.ecdsa(signature, key, code, run.version);
  if (!right && signature.length > 0 && run.flags.has('NULLFAIL')) fail('SIG_NULLFAIL');
  return right;
}

/** BIP342: the order of these rules is part of them. A signature is right, empty, or ends the script. */
function checkInTapscript(run: Execution, context: TapscriptContext, signature: Uint8Array, key: Uint8Array): boolean {
  const present = signature.length > 0;
  if (present) {
    context.weightLeft -= WEIGHT_PER_SIGNATURE;
    if (context.weightLeft < 0) fail('TAPSCRIPT_VALIDATION_WEIGHT');
  }
  if (key.length === 0) fail('TAPSCRIPT_EMPTY_PUBKEY');
  if (key.length !== 32) {
    if (run.flags.has('DISCOURAGE_UPGRADABLE_PUBKEYTYPE')) fail('DISCOURAGE_UPGRADABLE_PUBKEYTYPE');
  } else if (present) run.checks.schnorr(signature, key, { ...context, codeSeparator: run.codeSeparator });
  return present;
}

/** What signatures of this place sign of the script: before segwit without themselves. */
function scriptCode(run: Execution, signatures: readonly Uint8Array[]): Uint8Array {
  const whole = run.signedCode;
  if (run.version !== 'base') return whole;
  let code = whole;
  for (const signature of signatures) {
    const shorter = findAndDelete(code, pushOf(signature));
    if (shorter !== code && run.flags.has('CONST_SCRIPTCODE')) fail('SIG_FINDANDDELETE');
    code = shorter;
  }
  return code;
}

function checkSig(run: Execution): boolean {
  run.need(2);
  const right = checkSignature(run, run.top(2), run.top());
  run.drop(2);
  return right;
}

function checkSigAdd(run: Execution): void {
  if (!run.tapscript) fail('BAD_OPCODE');
  run.need(3);
  const count = run.number(2);
  const right = checkSignature(run, run.top(3), run.top());
  run.drop(3);
  run.push(encodeNumber(count + Number(right)));
}

/** (dummy, signatures, their number, keys, their number): both lists in one order, each signature with the next key that it fits. */
function checkMultisig(run: Execution): boolean {
  if (run.tapscript) fail('TAPSCRIPT_CHECKMULTISIG');
  run.need(1);
  const keyCount = run.number();
  if (keyCount < 0 || keyCount > MAX_KEYS) fail('PUBKEY_COUNT');
  run.operations += keyCount;
  if (run.operations > MAX_OPERATIONS) fail('OP_COUNT');
  run.need(keyCount + 2);
  const signatureCount = run.number(keyCount + 2);
  if (signatureCount < 0 || signatureCount > keyCount) fail('SIG_COUNT');
  run.need(keyCount + signatureCount + 2);
  // From the top down, that is, last first.
  const keys = Array.from({ length: keyCount }, (_, at) => run.top(at + 2));
  const signatures = Array.from({ length: signatureCount }, (_, at) => run.top(keyCount + 3 + at));
  const code = scriptCode(run, signatures);
  const right = eachFitsAKey(run, signatures, keys, code);
  if (!right && run.flags.has('NULLFAIL') && signatures.some(({ length }) => length > 0)) fail('SIG_NULLFAIL');
  run.drop(keyCount + signatureCount + 2);
  // One element more than it needs is taken off, ever since the first version.
  run.need(1);
  const dummy = run.pop();
  if (dummy.length > 0 && run.flags.has('NULLDUMMY')) fail('SIG_NULLDUMMY');
  return right;
}

/** Stops as soon as more signatures are left than keys; which encodings are looked at follows from that. */
function eachFitsAKey(
  run: Execution,
  signatures: readonly Uint8Array[],
  keys: readonly Uint8Array[],
  code: Uint8Array,
): boolean {
  let at = 0;
  for (let key = 0; at < signatures.length; key++) {
    if (signatures.length - at > keys.length - key) return false;
    const signature = signatures[at] as Uint8Array;
    checkSignatureEncoding(signature, run.flags);
    checkKeyEncoding(keys[key] as Uint8Array, run.flags, run.version === 'witness-v0');
    if (run.checks.ecdsa(signature, keys[key] as Uint8Array, code, run.version)) at++;
  }
  return true;
}

const answering =
  (check: (run: Execution) => boolean): Operation =>
  (run) =>
    run.push(truth(check(run)));

export const SIGNATURE_OPERATIONS: OperationTable = {
  [OP.CODESEPARATOR](run) {
    run.separateCode();
  },
  [OP.CHECKSIG]: answering(checkSig),
  [OP.CHECKSIGVERIFY](run) {
    if (!checkSig(run)) fail('CHECKSIGVERIFY');
  },
  [OP.CHECKSIGADD]: checkSigAdd,
  [OP.CHECKMULTISIG]: answering(checkMultisig),
  [OP.CHECKMULTISIGVERIFY](run) {
    if (!checkMultisig(run)) fail('CHECKMULTISIGVERIFY');
  },
};
