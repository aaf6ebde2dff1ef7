import type { ColumnTypes, Migration } from './dialect.ts';

export const audit: Migration = {
  version: 6,
  name: 'audit',
  statements: (types) => [...tables(types), ...TABLES.flatMap((table) => appendOnly(types, table))],
};

const TABLES = [
  { name: 'audit_records', unique: [['sequence'], ['record_id']] },
  { name: 'audit_seals', unique: [['log_id', 'position'], ['sequence']] },
  { name: 'audit_nodes', unique: [['log_id', 'level', 'position']] },
  { name: 'audit_heads', unique: [['log_id', 'size', 'key_id']] },
  { name: 'audit_anchors', unique: [['anchor_id']] },
] as const;

function tables(types: ColumnTypes): string[] {
  const { kind, text, integer, bytes, table, clustered, id } = types;
  const writtenBy = kind === 'postgres' ? '(pg_current_xact_id()::text::bigint)' : '0';
  const hash = (name: string) => `${name} ${bytes} NOT NULL CHECK (length(${name}) = 32)`;
  const statements = [
    `CREATE TABLE audit_records (
      sequence ${id},
      record_id ${text} NOT NULL UNIQUE,
      log_id ${text} NOT NULL,
      account_id ${text},
      time ${integer} NOT NULL,
      credential_kind ${text},
      credential_id ${text},
      operation ${text} NOT NULL,
      target ${text},
      outcome ${text} NOT NULL,
      entry ${text} NOT NULL,
      written_by ${integer} NOT NULL DEFAULT ${writtenBy}
    ) ${table}`,
    // All that lists filter by: what does not match is passed over without reading its entry.
    `CREATE INDEX audit_records_by_time ON audit_records
      (log_id, time, sequence, operation, outcome, credential_id, target)`,
    `CREATE TABLE audit_seals (
      log_id ${text} NOT NULL,
      position ${integer} NOT NULL CHECK (position >= 0),
      sequence ${integer} NOT NULL UNIQUE REFERENCES audit_records (sequence),
      record_id ${text} NOT NULL,
      ${hash('previous_hash')},
      ${hash('leaf_hash')},
      ${hash('hash')},
      PRIMARY KEY (log_id, position)
    ) ${table}`,
    `CREATE TABLE audit_nodes (
      log_id ${text} NOT NULL,
      level ${integer} NOT NULL CHECK (level > 0),
      position ${integer} NOT NULL CHECK (position >= 0),
      ${hash('hash')},
      PRIMARY KEY (log_id, level, position)
    ) ${clustered}`,
    `CREATE TABLE audit_heads (
      log_id ${text} NOT NULL,
      size ${integer} NOT NULL CHECK (size >= 0),
      key_id ${text} NOT NULL,
      ${hash('root')},
      time ${integer} NOT NULL,
      note ${text} NOT NULL,
      PRIMARY KEY (log_id, size, key_id)
    ) ${clustered}`,
    `CREATE TABLE audit_anchors (
      anchor_id ${text} NOT NULL PRIMARY KEY,
      log_id ${text} NOT NULL,
      size ${integer} NOT NULL CHECK (size >= 0),
      ${hash('root')},
      account_id ${text} NOT NULL,
      txid ${text} NOT NULL CHECK (length(txid) = 64),
      time ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX audit_anchors_by_log ON audit_anchors (log_id, time, anchor_id)',
  ];
  if (kind === 'postgres') statements.push('CREATE INDEX audit_records_by_writer ON audit_records (written_by)');
  return statements;
}

interface Table {
  readonly name: string;
  readonly unique: readonly (readonly string[])[];
}

function appendOnly({ kind }: ColumnTypes, table: Table): string[] {
  return kind === 'postgres' ? appendOnlyPostgres(table) : appendOnlySqlite(table);
}

/** One per statement, so that one that matches no row is refused too; ALWAYS: also where replication roles switch triggers off. */
function appendOnlyPostgres({ name }: Table): string[] {
  return [
    `CREATE OR REPLACE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME;
      END $$`,
    `CREATE TRIGGER ${name}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${name}
      FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only()`,
    `ALTER TABLE ${name} ENABLE ALWAYS TRIGGER ${name}_append_only`,
  ];
}

/** INSERT OR REPLACE deletes without asking DELETE's trigger, so INSERT has one that looks for what would be replaced. */
function appendOnlySqlite({ name, unique }: Table): string[] {
  const refuse = (what: string) =>
    `SELECT RAISE(ABORT, 'the audit log is append-only: ${what} of ${name} is refused');`;
  const taken = unique
    .map((columns) => columns.map((column) => `${column} = NEW.${column}`).join(' AND '))
    .map((condition) => `EXISTS (SELECT 1 FROM ${name} WHERE ${condition})`)
    .join(' OR ');
  return [
    `CREATE TRIGGER ${name}_no_update BEFORE UPDATE ON ${name} BEGIN ${refuse('UPDATE')} END`,
    `CREATE TRIGGER ${name}_no_delete BEFORE DELETE ON ${name} BEGIN ${refuse('DELETE')} END`,
    `CREATE TRIGGER ${name}_no_replace BEFORE INSERT ON ${name} WHEN ${taken} BEGIN ${refuse('REPLACE')} END`,
  ];
}
