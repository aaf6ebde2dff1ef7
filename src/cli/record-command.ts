import { userInfo } from 'node:os';
import { type RecordChange, recordChangesBy } from '../services/audit/record-change.ts';

/** Records what a command changes, in its job, as done by whoever the system says is running it. */
export const recordCommand: RecordChange = (tx, change) =>
  recordChangesBy({ kind: 'command', id: operatingUser() })(tx, change);

/** A container's user may have no name. */
function operatingUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
