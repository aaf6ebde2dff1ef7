/** Mail to one address, through the operator's server. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for each attempt of one mail: its Message-ID is made of it. */
  readonly id: string;
}

export interface MailReply {
  readonly accepted: boolean;
  /** Of SMTP (RFC 5321 §4.2), such as 250; null: the server did not answer. */
  readonly code: number | null;
  /** What it said, or why it was not reached. */
  readonly text: string;
  /** It refuses this mail, or this address, for good (RFC 5321 §4.2.1, 5yz). */
  readonly isFinal: boolean;
  /** It was not reached, or takes no mail of ours: nothing was said of this mail. */
  readonly isAway: boolean;
}

/** Rejects only with the signal's reason: a mail that was under way may have been sent. */
export type SendMail = (mail: Mail, asker: { accountId: string; signal: AbortSignal }) => Promise<MailReply>;
