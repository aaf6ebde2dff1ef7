import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Config, ConfigError } from '../config.ts';
import type { SendMail } from '../engines/mailing/mailing.ts';

/** Throws ConfigError where the key of DKIM cannot be read, or cannot sign. null: no e-mail is sent. */
export async function openMail(mail: Config['mail']): Promise<SendMail | null> {
  if (mail === null) return null;
  // Only where there is mail to send: it takes its part of a start, and of the memory.
  const { createMailing } = await import('../engines/mailing/create-mailing.ts');
  const { dkim } = mail;
  if (dkim === null) return createMailing({ ...mail, dkim });
  const { keyFile, ...named } = dkim;
  const privateKey = await readFile(keyFile, 'utf8').catch((error: Error) => {
    throw new ConfigError([`NOTIFICATION_DKIM_KEY_FILE cannot be read: ${error.message}`]);
  });
  // The library sends a mail without a signature where it cannot make one.
  if (!isRsa(privateKey)) throw new ConfigError(['NOTIFICATION_DKIM_KEY_FILE must hold an RSA private key in PEM']);
  return createMailing({ ...mail, dkim: { ...named, privateKey } });
}

function isRsa(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
