/** Text as it may stand in XML: what marks up is written as entities, and what XML cannot hold becomes U+FFFD. */
export const svgText = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 does not allow
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');

/** At most so many characters, with an ellipsis where there were more. */
export function shortened(text: string, most: number): string {
  // No more is looked at than can matter: a text may have megabytes.
  const characters = [...text.slice(0, 4 * most)];
  return characters.length <= most && text.length <= 4 * most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
