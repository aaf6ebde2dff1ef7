import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { SendMail } from '../engines/mailing/mailing.ts';

/** Throws an Error that names the variable where the key of DKIM cannot be read. null: no e-mail is sent. */
export async function openMail(mail: Config['mail']): Promise<SendMail | null> {
  if (mail === null) return null;
  // Only where there is mail to send: it takes its part of a start, and of the memory.
  const { createMailing } = await import('../engines/mailing/create-mailing.ts');
  const { dkim } = mail;
  if (dkim === null) return createMailing({ ...mail, dkim });
  const { keyFile, ...named } = dkim;
  const privateKey = await readFile(keyFile, 'utf8').catch((error: Error) => {
    throw new Error(`NOTIFICATION_DKIM_KEY_FILE cannot be read: ${error.message}`);
  });
  return createMailing({ ...mail, dkim: { ...named, privateKey } });
}
