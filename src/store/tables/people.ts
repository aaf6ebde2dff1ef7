/** People: who they are, what they log in with, and what they are logged in by. Secrets are digests or sealed. */
export interface PeopleTables {
  users: {
    user_id: string;
    account_id: string;
    username: string;
    email: string | null;
    name: string | null;
    role: string;
    scopes: string;
    tier: string;
    expires_at: bigint | null;
    allowed_ips: string | null;
    may_grant: bigint;
    /** Rights, as JSON. */
    had_rights: string | null;
    set_by_rights: string | null;
    /** PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
    password_hash: string | null;
    password_changed_at: bigint | null;
    /** Sealed under a key of the service: the second factor, in force once confirmed. */
    totp_secret: string | null;
    totp_confirmed_at: bigint | null;
    /** The newest time step whose code was taken: none is taken twice. */
    totp_last_step: bigint;
    disabled_at: bigint | null;
    /** Disabled for good: the row stays for the audit log, its names are free. */
    deleted_at: bigint | null;
    last_login_at: bigint | null;
    created_at: bigint;
    updated_at: bigint;
  };
  /** What a person may log in with: username and e-mail address, folded, each once in the whole service. */
  login_names: { name: string; account_id: string; user_id: string };
  recovery_codes: { account_id: string; user_id: string; digest: string; used_at: bigint | null };
  sessions: {
    session_id: string;
    account_id: string;
    user_id: string;
    method: string;
    bound_key_id: string | null;
    remote_address: string;
    /** The neighbourhood that the address is in (core/people/address-class.ts). */
    address_class: string;
    created_at: bigint;
    last_used_at: bigint;
    expires_at: bigint;
    ended_at: bigint | null;
    end_reason: string | null;
  };
  refresh_tokens: {
    /** SHA-256 of the token, hex. */
    digest: string;
    account_id: string;
    session_id: string;
    created_at: bigint;
    expires_at: bigint;
    spent_at: bigint | null;
    /** The next token, sealed: answered again within the grace. */
    successor: string | null;
  };
  password_resets: {
    digest: string;
    account_id: string;
    user_id: string;
    created_at: bigint;
    expires_at: bigint;
    used_at: bigint | null;
  };
  /** Logins that failed, by a keyed digest of the name and where they came from. */
  login_failures: { key: string; failures: bigint; last_failed_at: bigint };
  /** Sign-ons that came back from the provider, until they would have expired: none comes back twice. */
  sso_used_states: { digest: string; expires_at: bigint };
  sso_identities: { issuer: string; subject: string; account_id: string; user_id: string; created_at: bigint };
}
