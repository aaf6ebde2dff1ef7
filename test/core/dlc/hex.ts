export const hex = (of: Uint8Array | null): string | null => of && Buffer.from(of).toString('hex');
