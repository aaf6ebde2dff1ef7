import { parseTransaction } from '../blocks/transaction.ts';
import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import type { Network } from '../network.ts';
import type { PsbtInputFacts } from '../psbt/construction/psbt-draft.ts';
import { extractTransaction } from '../psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';
import { parsePlainKeyText } from '../psbt/signing/key-text.ts';
import { type PsbtSigningTools, signPsbt } from '../psbt/signing/sign-psbt.ts';
import { plainSigner } from '../psbt/signing/signers.ts';
import type { PsbtSigner } from '../psbt/signing/signing-key.ts';
import { outputKind } from '../relay-policy/standard-scripts.ts';
import { p2pkh, p2sh, p2tr, p2wpkh } from '../scripts/output-scripts.ts';
import { tweakPublicKey } from '../taproot/tweak.ts';
import { signCompact } from './compact-signature.ts';
import { messagePsbt } from './message-psbt.ts';
import { writeSignatureText } from './signature-text.ts';
import { serializeWitness } from './virtual-transactions.ts';

export type SigningFormat = 'simple' | 'full' | 'legacy';

export interface SignedMessage {
  readonly signature: string;
  readonly format: SigningFormat;
}

/** One key's scripts: which of them an address has decides what the key signs. */
interface KeyedScript {
  readonly script: Buffer;
  readonly facts: PsbtInputFacts;
  readonly compressed: boolean;
}

/**
 * Signs a message with the key of an address (P2PKH, P2WPKH, P2WPKH within P2SH, or P2TR by BIP86). The key is WIF or 64 hex digits.
 * Throws `invalid_key` where it is none, or not the address's; `unsupported` where the format does not fit the address.
 */
export function signMessage(
  request: { script: Uint8Array; message: Uint8Array; key: string; format: SigningFormat | null; network: Network },
  tools: PsbtSigningTools,
): SignedMessage {
  const { script, message, network } = request;
  const format = formatFor(script, request.format);
  const { privateKey, compressed } = parsePlainKeyText(request.key, network);
  try {
    const own = scriptsOf(privateKey, compressed).find((one) => Buffer.compare(one.script, script) === 0);
    if (!own)
      throw new DomainError('invalid_key', "the key is not the address's: none of its single-key scripts is", {
        field: 'key',
      });
    if (format === 'legacy')
      return { signature: writeSignatureText('legacy', signCompact(message, privateKey, own.compressed)), format };
    const signer = plainSigner(Uint8Array.from(privateKey), own.compressed);
    try {
      const { signature } = signMessageBy(signer, { script, message, facts: own.facts, format }, tools);
      if (signature === null) throw new Error('a single key did not complete its own script');
      return { signature, format };
    } finally {
      signer.dispose();
    }
  } finally {
    privateKey.fill(0);
  }
}

/** The same with any signer and script. Throws what signPsbt throws. */
export function signMessageBy(
  signer: PsbtSigner,
  request: { script: Uint8Array; message: Uint8Array; facts: PsbtInputFacts; format: 'simple' | 'full' },
  tools: PsbtSigningTools,
) {
  const { script, message, facts, format } = request;
  const { psbt } = signPsbt(messagePsbt(script, message, facts), signer, tools);
  const final = finalizePsbt(psbt);
  return { signature: final.complete ? signatureOf(final.psbt, format) : null, format, psbt };
}

/** As signmessage of Bitcoin Core, with the one key of a P2PKH address that `facts` are of. Throws `nothing_signed` without it. */
export function signCompactBy(signer: PsbtSigner, message: Uint8Array, facts: PsbtInputFacts): string {
  const keys = signer.keysFor(facts.bip32Derivations ?? []);
  try {
    const [key] = keys;
    if (!key) throw new DomainError('nothing_signed', `the message is not signed: ${signer.without}`);
    return writeSignatureText('legacy', signCompact(message, key.privateKey, key.publicKey.length === 33));
  } finally {
    for (const { privateKey } of keys) privateKey.fill(0);
  }
}

/** Of a finalized PSBT of to_sign. */
function signatureOf(psbt: PsbtV2, format: 'simple' | 'full'): string {
  const { raw } = extractTransaction(psbt);
  if (format === 'full') return writeSignatureText('full', raw);
  return writeSignatureText('simple', serializeWitness(parseTransaction(raw).inputs[0]?.witness ?? []));
}

/** What BIP322 has for the address: simple for native segwit, full for the rest, legacy for P2PKH alone and only when asked for. */
export function formatFor(script: Uint8Array, asked: SigningFormat | null): SigningFormat {
  const kind = outputKind(script);
  const native = kind === 'p2wpkh' || kind === 'p2wsh' || kind === 'p2tr';
  const format = asked ?? (native ? 'simple' : 'full');
  const fits = format === 'full' || (format === 'simple' ? native : kind === 'p2pkh');
  if (fits) return format;
  throw new DomainError(
    'unsupported',
    format === 'simple'
      ? `a simple signature is for native segwit addresses, and this one is ${kind}: ask for full`
      : `a legacy signature is for P2PKH addresses, and this one is ${kind}: ask for simple or full (BIP322)`,
    { field: 'format' },
  );
}

function scriptsOf(privateKey: Uint8Array, compressed: boolean | null): KeyedScript[] {
  const scripts: KeyedScript[] = [];
  for (const form of compressed === null ? [true, false] : [compressed]) {
    const key = ecc.pointFromScalar(privateKey, form) as Uint8Array;
    scripts.push({ script: p2pkh(key), facts: {}, compressed: form });
    if (!form) continue;
    const program = p2wpkh(key);
    const internalKey = key.subarray(1);
    const output = p2tr(tweakPublicKey(internalKey, null).outputKey);
    scripts.push({ script: program, facts: {}, compressed: form });
    scripts.push({ script: p2sh(program), facts: { redeemScript: program }, compressed: form });
    scripts.push({ script: output, facts: { tapInternalKey: internalKey }, compressed: form });
  }
  return scripts;
}
