import type { Migration } from './dialect.ts';

/**
 * What calls of models use. `ai_calls` holds those under way: what each may cost at most is in the sums of its budgets until it ends. `ai_minutes`
 * counts for all accounts: minute 0 is all that is older than the minutes that are kept.
 */
export const inferenceLedger: Migration = {
  version: 73,
  name: 'usage and budgets of models',
  statements: ({ text, integer, clustered }) => [
    `CREATE TABLE ai_calls (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      call_id ${text} NOT NULL,
      credential_kind ${text} NOT NULL,
      credential_id ${text} NOT NULL,
      require_signature ${integer} NOT NULL,
      subject ${text} NOT NULL,
      operation ${text} NOT NULL,
      model ${text} NOT NULL,
      day ${integer} NOT NULL,
      prompt_tokens ${integer} NOT NULL,
      tokens ${integer} NOT NULL,
      micros ${integer} NOT NULL,
      ends_at ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, call_id)
    ) ${clustered}`,
    'CREATE INDEX ai_calls_by_end ON ai_calls (ends_at)',
    `CREATE TABLE ai_budgets (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      subject ${text} NOT NULL,
      tokens_per_day ${integer},
      tokens_per_month ${integer},
      micros_per_day ${integer},
      micros_per_month ${integer},
      day ${integer} NOT NULL,
      day_tokens ${integer} NOT NULL,
      day_micros ${integer} NOT NULL,
      month_tokens ${integer} NOT NULL,
      month_micros ${integer} NOT NULL,
      updated_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, subject)
    ) ${clustered}`,
    `CREATE TABLE ai_usage (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      span ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      credential_id ${text} NOT NULL,
      model ${text} NOT NULL,
      subject ${text} NOT NULL,
      calls ${integer} NOT NULL,
      prompt_tokens ${integer} NOT NULL,
      completion_tokens ${integer} NOT NULL,
      micros ${integer} NOT NULL,
      PRIMARY KEY (account_id, span, created_at, credential_id, model)
    ) ${clustered}`,
    'CREATE INDEX ai_usage_by_time ON ai_usage (created_at)',
    `CREATE TABLE ai_minutes (
      minute ${integer} PRIMARY KEY,
      requests ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      answered ${integer} NOT NULL,
      latency_ms ${integer} NOT NULL
    ) ${clustered}`,
  ],
};
