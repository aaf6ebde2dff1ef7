/** What a type of report is made of. A new type is one file in `types/`, listed in `report-types.ts`; docs/architecture.md has the rest. */
import { type Rights, type Role, roleReaches, scopeAllows } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ReportColumn, ReportSummary, Row } from '../../core/reports/cells.ts';
import type { ReportFormat, ReportKind } from '../../core/reports/report-names.ts';
import type { AskedReport, ReportRecord } from '../../store/repositories/reports.ts';
import type { Repositories } from '../../store/store.ts';
import type { Asker } from '../policies/spending-of.ts';
import type { Write } from './formats/format.ts';

export interface ReportSource extends AskedReport {
  readonly read: Repositories;
  readonly accountId: AccountId;
  /** What was uploaded with the request. */
  readonly input: string | null;
  readonly maker: Pick<ReportRecord, 'accountId' | 'makerKind' | 'makerId'>;
  readonly signal: AbortSignal;
}

export interface ReportPage {
  /** At most a few hundred. */
  readonly rows: readonly Row[];
  /** Records that were gone through for it: how far it is. */
  readonly passed: number;
}

export interface ReportType {
  readonly kind: ReportKind;
  /** In kebab-case, as requests name it. */
  readonly name: string;
  readonly title: string;
  /** What its content takes beside `<kind>:read`: of its maker while it is made, and of whoever reads it later. */
  readonly needs: { readonly role: Role; readonly scopes: readonly string[] };
  /** It tells of people: each reading of its content is a record of the audit log. */
  readonly audited?: true;
  readonly columns: readonly ReportColumn[];
  /** Whether it can be of some wallets only. */
  readonly ofWallets: boolean;
  /** It is of the present, and has no `from`. */
  readonly ofNow?: boolean;
  /** A file of its own form, and of this format alone; the rows are its pieces. */
  readonly file?: { readonly format: ReportFormat; readonly write: Write };
  /** Throws what is wrong with a request, before it is queued. */
  readonly check?: (source: Omit<ReportSource, 'signal' | 'maker'> & { readonly asker: Asker }) => Promise<void>;
  /** How many records it goes through; null: nobody knows. */
  readonly count: (source: ReportSource) => Promise<number | null>;
  /**
   * Reads the store a page at a time, and holds no more than that page and sums. Others get their turn between pages. What it throws as a
   * DomainError ends the report as failed, with that sentence; anything else is tried again.
   */
  readonly pages: (source: ReportSource) => AsyncGenerator<ReportPage, ReportSummary>;
}

export type ReportRights = Pick<Rights, 'role' | 'scopes'>;

/** What reading the content takes that these rights do not have; null: they suffice. */
export function rightMissing({ kind, needs }: ReportType, { role, scopes }: ReportRights): string | null {
  if (!roleReaches(role, needs.role)) return `the role ${needs.role}`;
  const scope = [`${kind}:read`, ...needs.scopes].find((one) => !scopeAllows(scopes, one));
  return scope === undefined ? null : `the scope ${scope}`;
}
