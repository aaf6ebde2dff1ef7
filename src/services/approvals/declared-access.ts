/** Checks at boot that the rights checked again before carrying out are those that the operation declares. */
import type { SpendingOperation } from '../../core/policies/policy.ts';
import type { RecordSubject } from './approval-subject.ts';
import type { AskerAccess } from './asked-by.ts';

/** The part of a declaration that is compared. */
export interface DeclaredAccess {
  readonly id: string;
  readonly access: 'public' | AskerAccess;
  readonly spends?: readonly SpendingOperation[];
  readonly success: { readonly waiting?: object };
}

interface Judged {
  readonly id: string;
  readonly access: AskerAccess;
}

/** Throws an Error for the first operation that can wait for approval and is not declared, or declares other rights. */
export function assertDeclaredAccess(
  all: readonly DeclaredAccess[],
  held: readonly Judged[],
  records: readonly RecordSubject[],
): void {
  const byId = new Map(all.map((one) => [one.id, one]));
  for (const { id, access } of [...held, ...records.flatMap((subject) => judgedOf(subject, all))]) {
    const declared = byId.get(id);
    if (declared === undefined) throw new Error(`operation ${id} can wait for approval, but is not declared`);
    if (nameOf(declared.access) !== nameOf(access)) {
      throw new Error(
        `operation ${id} requires ${nameOf(declared.access)}, but its initiator is checked again for ${nameOf(access)}`,
      );
    }
  }
}

/** The named operations, and any other that declares the same `spends`, can wait, and is not named as what else it waits as. */
const judgedOf = ({ operations, accessOf }: RecordSubject, all: readonly DeclaredAccess[]): Judged[] =>
  Object.entries(operations).flatMap(([operation, ids]) => {
    const named = Object.values(operations).flat();
    const others = all.filter(
      ({ id, spends, success }) => success.waiting && spends?.some((one) => one === operation) && !named.includes(id),
    );
    const access = accessOf({ operation, requestOf: null });
    return [...new Set([...ids, ...others.map(({ id }) => id)])].map((id) => ({ id, access }));
  });

const nameOf = (access: DeclaredAccess['access']): string =>
  access === 'public' ? access : `${access.scope} as ${access.role}`;
