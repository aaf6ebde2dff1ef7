/** Texts are encrypted and bound to their row; stored responses are deflated first, where that is worth it. */
import { createCipheriv, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createTextCipher } from '../../../src/services/secrets/text-cipher.ts';

const key = randomBytes(32);
const { encrypt, decrypt } = createTextCipher(key, randomBytes, { deflates: true });
const PAYMENT = JSON.stringify({
  status: 'broadcast',
  recipients: Array(9).fill({ address: 'bcrt1q', amount: '0.1' }),
});

it.each([
  ['v1', 'short', '{"a":1}'],
  ['v2', 'a payment', PAYMENT],
  ['v2', 'beyond ASCII', '₿ü€🪙'.repeat(50)],
  ['v1', 'too long to deflate in the serving thread', 'a'.repeat(40_000)],
])('%s: %s', (version, _, text) => {
  const kept = encrypt(text, 'acc_one k');
  expect(kept.split('.')[0]).toBe(version);
  expect(decrypt(kept, 'acc_one k')).toBe(text);
  expect(() => decrypt(kept, 'acc_one other')).toThrow();
  const [, ...rest] = kept.split('.');
  for (const other of ['v1', 'v2'].filter((one) => one !== version))
    expect(() => decrypt([other, ...rest].join('.'), 'acc_one k')).toThrow();
});

it('takes less than half of the text', () => {
  expect(encrypt(PAYMENT, 'acc_one k').length).toBeLessThan(PAYMENT.length / 2);
});

it('deflates nothing unless asked to, and still decrypts what was deflated', () => {
  const plain = createTextCipher(key, randomBytes);
  expect(plain.encrypt(PAYMENT, 'acc_one k')).toMatch(/^v1\./);
  expect(plain.decrypt(encrypt(PAYMENT, 'acc_one k'), 'acc_one k')).toBe(PAYMENT);
});

it('opens what versions before 0.2 kept', () => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from('acc_one k'));
  const ciphertext = Buffer.concat([cipher.update(PAYMENT, 'utf8'), cipher.final()]);
  const parts = [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'));
  expect(decrypt(['v1', ...parts].join('.'), 'acc_one k')).toBe(PAYMENT);
});
