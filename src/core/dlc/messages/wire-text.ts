/** Marks in a row that normalization may have to sort; more than 30 are no text (UAX #15, "Stream-Safe Text Format"). */
const MANY_MARKS = /\p{M}{31}/u;

const ASCII = /^[\0-\x7f]*$/;

/** What is wrong with a string of a message (dlcspecs Messaging.md: UTF-8 in normalization form C), or null. Linear in its length. */
export function textProblem(text: string): string | null {
  if (ASCII.test(text)) return null;
  if (!text.isWellFormed()) return 'holds half a surrogate pair';
  // Sorting the marks of one letter is quadratic in their number.
  if (MANY_MARKS.test(text)) return 'holds more than 30 combining marks in a row';
  return text.normalize('NFC') === text ? null : 'is not in Unicode normalization form C (NFC)';
}
