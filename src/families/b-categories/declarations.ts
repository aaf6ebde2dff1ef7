/** How operations of the categories are declared: what most of them have alike. `noun` is that of the scope. */
const of = <const Tag extends string>(tag: Tag) => ({ family: 'b', tag }) as const;

export const reads = <const Tag extends string, const Noun extends string>(tag: Tag, noun: Noun) =>
  ({ ...of(tag), method: 'GET', effect: 'read', access: { scope: `${noun}:read`, role: 'viewer' } }) as const;

/** Works on what is sent. */
export const computes = <const Tag extends string, const Noun extends string>(tag: Tag, noun: Noun) =>
  ({ ...of(tag), method: 'POST', effect: 'compute', access: { scope: `${noun}:read`, role: 'viewer' } }) as const;

export const writes = <const Tag extends string, const Noun extends string>(tag: Tag, noun: Noun) =>
  ({ ...of(tag), method: 'POST', effect: 'write', access: { scope: `${noun}:write`, role: 'operator' } }) as const;
