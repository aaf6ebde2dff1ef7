/** Encrypts the texts of a row: stored responses, held requests, secrets of webhooks and of second factors, keys of tokens. */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const PLAIN = 'v1';
const DEFLATED = 'v2';
/** Bytes: of less nothing is gained, and more would take long. */
const DEFLATED_SIZES = { least: 200, most: 32_768 };
/** Taken from responses to payments, the most frequent part last. It never changes: stored responses are inflated with it. */
const dictionary = Buffer.from(
  '"status":"awaiting_signature","status":"awaiting_approval","status":"signed","status":"broadcast","direction":"internal",' +
    '"direction":"outgoing","recipients":[{"address":"bc1q","amount":"0.00"}],"amount":"0.00","fee":"0.00000","fee_rate":"",' +
    '"effective_fee_rate":"","ancestor_fee":"0.00000000","fee_note":null,"vsize":141,"input_count":1,"rbf":true,"block_height":null,' +
    '"block_hash":null,"confirmations":0,"replaces":null,"replaced_by":null,"label":null,"external_id":null,"reason":null,' +
    '"approval_id":null,"policy":null,"psbt":null,"musig_round":null,"created_at":"20{"txid":"","unsigned_txid":"","wallet_id":"wal_',
);
/** A window and tables for such sizes: their making is most of the cost. */
const DEFLATE = { level: 1, windowBits: 12, memLevel: 4, dictionary };

/**
 * Encrypts texts. `binding` ties an encrypted text to its row. AES-256-GCM under a key of 32 bytes: "v1.<iv>.<tag>.<ciphertext>" in base64url.
 * `deflates`, for stored responses: in "v2." the text was deflated (RFC 1951, with the dictionary) first. Either form is decrypted.
 */
export function createTextCipher(
  bytes: Uint8Array,
  randomBytes: (size: number) => Uint8Array,
  { deflates = false }: { deflates?: boolean } = {},
) {
  // As a key object it is taken in once, which is most of a short text's cost.
  const key = createSecretKey(bytes);
  /** The form is authenticated with the binding. */
  const bound = (version: string, binding: string) =>
    Buffer.from(version === PLAIN ? binding : `${version} ${binding}`);
  return {
    encrypt(text: string, binding: string) {
      const iv = randomBytes(12);
      const plain = Buffer.from(text);
      const smaller = deflates && plain.length >= DEFLATED_SIZES.least && plain.length <= DEFLATED_SIZES.most;
      const version = smaller ? DEFLATED : PLAIN;
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound(version, binding));
      const ciphertext = Buffer.concat([
        cipher.update(smaller ? deflateRawSync(plain, DEFLATE) : plain),
        cipher.final(),
      ]);
      return [version, ...[iv, cipher.getAuthTag(), ciphertext].map((part) => base64url(part))].join('.');
    },
    decrypt(encrypted: string, binding: string) {
      const [version, iv = '', tag = '', ciphertext = ''] = encrypted.split('.');
      if (version !== PLAIN && version !== DEFLATED) throw new Error('the encrypted text has an unknown form');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 16 })
        .setAAD(bound(version, binding))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      const plain = Buffer.concat([decipher.update(ciphertext, 'base64url'), decipher.final()]);
      return (version === DEFLATED ? inflateRawSync(plain, { dictionary }) : plain).toString();
    },
  };
}

export type TextCipher = ReturnType<typeof createTextCipher>;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
